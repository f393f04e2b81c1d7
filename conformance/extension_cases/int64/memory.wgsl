// 64-bit integers in structures, vectors, workgroup memory, variables with indices, and out of bounds.
// bind records = random i64 96 3
// bind out = zeros i64 128
// bind sums = zeros u64 32
enable muster_int64;
struct Record { a: u32, b: i64, c: vec3<u64>, d: array<i64, 3>, e: i32 }
@group(0) @binding(0) var<storage, read_write> records: array<Record>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<i64>>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec2<u64>>;
var<workgroup> shared_values: array<i64, 16>;
var<workgroup> shared_vector: vec3<i64>;
var<private> kept: array<u64, 5>;
fn mixed(r: Record, at: u32) -> i64 {
    var copy = r;
    copy.d[at % 4] += 3;
    if at == 2 { return copy.b; }
    return copy.d[at] ^ i64(copy.c[at % 3]);
}
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
    let r = records[i % 8];
    shared_values[i] = r.b + i64(i);
    if i == 5 { shared_vector = vec3(r.b, 2, 3).zyx; }
    for (var k = 0u; k < 7; k++) { kept[k] = u64(k) * r.c[k]; }
    workgroupBarrier();
    var found = shared_values[15 - i];
    var count = 0li;
    while found > 1000 && count < 200 { found /= 3; count++; }
    let v = vec4(found, mixed(r, i % 5), shared_vector[i], count);
    out[i] = select(v, v.wzyx, vec4(i % 2 == 0, i > 3, false, true));
    out[16 + i].y = v[i % 6];
    sums[i] = vec2(kept[i % 6], dot(r.c, vec3<u64>(1, 2, 3)));
    if i < 8 { records[i].c.y = u64(i); records[i].d[i] = -1; }
}
