// Jacobi's iteration for Laplace's equation: each sweep replaces every inner point by the mean of its four neighbours. The
// border stays. Both arrays start with the same values; after an even number of sweeps the result is in `even`, else in `odd`.
enable muster_grid_barrier;

struct Problem {
    width: u32,
    height: u32,
    sweeps: u32,
}
@group(0) @binding(0) var<uniform> problem: Problem;
@group(0) @binding(1) var<storage, read_write> even: array<f32>;
@group(0) @binding(2) var<storage, read_write> odd: array<f32>;

@compute @workgroup_size(32, 8)
fn jacobi(@builtin(global_invocation_id) id: vec3u) {
    let width = problem.width;
    if id.x == 0 || id.y == 0 || id.x + 1 >= width || id.y + 1 >= problem.height {
        return;
    }
    let at = id.y * width + id.x;
    for (var sweep = 0u; sweep < problem.sweeps; sweep++) {
        if sweep % 2 == 0 {
            odd[at] = 0.25 * (even[at - 1] + even[at + 1] + even[at - width] + even[at + width]);
        } else {
            even[at] = 0.25 * (odd[at - 1] + odd[at + 1] + odd[at - width] + odd[at + width]);
        }
        gridBarrier();
    }
}
