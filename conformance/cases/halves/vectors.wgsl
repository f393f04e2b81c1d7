// Vectors of f16 are loaded and stored whole, in parts, at varying indices, and through workgroup and private memory.
// workgroups 2
// bind twos = random u32 128 1
// bind fours = random u32 256 2
// bind out = zeros u32 256
// bind sums = zeros f16 128
// bind parts = random u32 256 3
enable f16;
@group(0) @binding(0) var<storage, read> twos: array<vec2h>;
@group(0) @binding(1) var<storage, read> fours: array<vec4h>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4h>;
@group(0) @binding(3) var<storage, read_write> sums: array<f16>;
@group(0) @binding(4) var<storage, read_write> parts: array<vec4h>;
var<workgroup> shared_halves: array<f16, 64>;
var<private> own: array<f16, 5>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u,
                                     @builtin(local_invocation_index) l: u32) {
    let i = id.x;
    let two = twos[i];
    let four = fours[i];
    shared_halves[l] = two.y;
    workgroupBarrier();
    own[i % 5] = two.x;
    own[(i + 2) % 5] = shared_halves[63 - l];
    out[i] = vec4h(four.wz, shared_halves[(l * 7) % 64], own[(i + 2) % 5]);
    sums[i] = own[i % 5];
    parts[127 - i].z = 2h;
    if i % 3 == 0 { parts[i].x = own[i % 5]; }
}
