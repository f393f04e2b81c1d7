// Two variables are swapped in each turn, with barriers in between.
// bind data = iota u32 20
// bind turns = u32 5
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 85130 90138 75146 20094 5022 10010 15018 20026 25034 30042 35050 40058 45066 50074 55082 60090 65098 70106 75114 80122
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> turns: u32;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    var old = 0u;
    var now = i;
    for (var t = 0u; t < turns; t++) {
        data[i] = now + old;
        gridBarrier();
        let next = data[(i + 19) % 20];
        old = now;
        now = next;
        gridBarrier();
    }
    out[i] = old * 1000 + now;
}
