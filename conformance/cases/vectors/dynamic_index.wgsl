// A computed index selects a component; one out of range reads zero and writes nothing.
// bind a = i32 10 20 30 40
// bind at = u32 0 3 2 9
// bind out = zeros i32 8
// expect out = i32 10 40 30 0 1 4 3 0
@group(0) @binding(0) var<storage, read> a: vec4i;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let copy = a;
    out[i] = copy[at[i]];
    var v = vec4i();
    v[at[i]] = i32(at[i]) + 1;
    out[i + 4] = v.x + v.y + v.z + v.w;
}
