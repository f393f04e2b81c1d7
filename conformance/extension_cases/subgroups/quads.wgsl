// Four successive invocations exchange values.
// bind a = random u32 128 7
// bind out = zeros u32 640
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let first = i * 5u;
    out[first] = quadBroadcast(x, 1u);
    out[first + 1u] = quadSwapX(x);
    out[first + 2u] = quadSwapY(x);
    out[first + 3u] = quadSwapDiagonal(x);
    out[first + 4u] = bitcast<u32>(quadBroadcast(f32(x), 3) + quadSwapX(f32(i)));
}
