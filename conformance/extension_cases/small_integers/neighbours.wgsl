// Invocations of many workgroups store every byte and half word; half of them store nothing.
// bind bytes = random u8 4096 5
// bind halves = random u16 4096 6
// invocations 4096
enable muster_int8_int16;
@group(0) @binding(0) var<storage, read_write> bytes: array<u8>;
@group(0) @binding(1) var<storage, read_write> halves: array<u16>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let at = id.x * 1021 % 4096;
    if (at % 3 == 0) { return; }
    bytes[at] = u8(u32(bytes[at]) * 3 + at);
    halves[at] = u16(u32(halves[at]) * 5 + at);
}
