// Workgroup memory that isn't all overwritten first is zero, even after another workgroup has used it.
// bind n = u32 0
// bind out = zeros u32 2048
// workgroups 64
var<workgroup> all: array<u32, 32>;
var<workgroup> all_but_one: array<u32, 33>;
var<workgroup> some: array<u32, 32>;
var<workgroup> no_turn: array<u32, 32>;
var<workgroup> no_case: array<u32, 32>;
var<workgroup> first_half: array<array<u32, 8>, 4>;
var<workgroup> wide: array<vec2u, 32>;
var<workgroup> counted: array<atomic<u32>, 32>;
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_index) i: u32,
                                       @builtin(local_invocation_id) id: vec3u,
                                       @builtin(workgroup_id) group: vec3u) {
    all[i] = i;
    all_but_one[i] = i;
    if i < 16u { some[i] = 1u; }
    for (var t = 0u; t < n; t++) { no_turn[i] = 1u; workgroupBarrier(); }
    switch n {
        case 1u: { no_case[i] = 1u; workgroupBarrier(); }
        default: {}
    }
    loop {
        if n == 0u { break; }
        first_half[id.y][id.x] = 5u;
        workgroupBarrier();
    }
    if id.y < 2u { first_half[id.y][id.x] += 1u; }
    wide[i].x = i;
    if i % 2u == 0u { atomicAdd(&counted[i], 1u); }
    workgroupBarrier();
    out[group.x * 32u + i] = all[31u - i] + 100u * all_but_one[i + 1u] + 10000u * some[31u - i] +
                             100000u * no_turn[31u - i] + 1000000u * no_case[31u - i] +
                             10000000u * first_half[3u - id.y][id.x] + 100000000u * wide[31u - i].y +
                             1000000000u * atomicLoad(&counted[31u - i]);
    workgroupBarrier();
    all[i] = 77u;
    all_but_one[i] = 77u;
    if i == 0u { all_but_one[32] = 77u; }
    some[i] = 77u;
    no_turn[i] = 77u;
    no_case[i] = 77u;
    first_half[id.y][id.x] = 77u;
    wide[i] = vec2u(77u);
    atomicStore(&counted[i], 77u);
}
