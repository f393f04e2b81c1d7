// Operations of vectors go component by component.
// bind a = random u32 128 7
// bind out = zeros u32 1152
enable subgroups;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    let v = vec3(x, i, x ^ i);
    let f = vec2(f32(x % 1000u), f32(i)) * 0.37;
    let first = i * 9u;
    let sum = subgroupAdd(v);
    let least = subgroupMin(vec4(vec4(x, i, x, i) & vec4(255u)));
    let before = subgroupExclusiveAdd(f);
    let other = subgroupShuffleXor(f, 1u);
    out[first] = sum.x; out[first + 1u] = sum.y; out[first + 2u] = sum.z;
    out[first + 3u] = least.x; out[first + 4u] = least.w;
    out[first + 5u] = bitcast<u32>(before.x); out[first + 6u] = bitcast<u32>(before.y);
    out[first + 7u] = bitcast<u32>(other.x); out[first + 8u] = bitcast<u32>(other.y);
}
