// arrayLength counts whole elements of the bound memory.
// bind a = zeros u32 7
// bind s = zeros u32 9
// bind out = zeros u32 2
// expect out = u32 3 2
struct Tail { head: vec4u, items: array<vec2u> }
@group(0) @binding(0) var<storage, read> a: array<vec2u>;
@group(0) @binding(1) var<storage, read> s: Tail;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    out[0] = arrayLength(&a);
    out[1] = arrayLength(&s.items);
}
