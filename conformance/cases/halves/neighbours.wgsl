// Each invocation writes its own f16 of an array: none touches its neighbour's half of the word.
// workgroups 4
// bind out = iota f16 256
// bind odd = zeros f16 256
enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<f16>;
@group(0) @binding(1) var<storage, read_write> odd: array<f16>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    for (var k = 0; k < 5; k++) { out[i] = out[i] * 1.5h - 3; }
    if i % 2 == 1 { odd[i] = f16(i); }
}
