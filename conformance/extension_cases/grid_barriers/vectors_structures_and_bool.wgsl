// A bool, a vector and a structure live across.
// bind data = iota u32 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 5062 8251 10166 12718 16054 17822 20374 23857 25478 28030 30660 33114 35666 38463 40770 43322 46266 48426 50978 54069
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Pair { place: vec3u, weights: array<f32, 2> }
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var p = Pair(vec3u(i, i + 1, i + 2), array(f32(i) * 0.5, -1.5));
    let odd = i % 3 == 1;
    let scaled = p.weights[0] * 2.0;
    data[i] = p.place.z;
    gridBarrier();
    p.place[select(0u, 1u, odd)] += data[(i + 10) % 20];
    gridBarrier();
    let exact = u32(scaled - p.weights[0] * 2.0 + p.weights[1] + 1.5);
    out[i] = p.place.x + p.place.y * 50 + p.place.z * 2500 + exact;
}
