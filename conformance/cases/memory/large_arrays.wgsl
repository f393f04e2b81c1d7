// Arrays too large to be split into elements are zero at first and anew in each turn, and copies of them are copies.
// bind s = iota u32 150
// bind out = zeros u32 32
@group(0) @binding(0) var<storage, read_write> s: array<u32, 150>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct Deep { k: u32, rows: array<array<f32, 7>, 30>, tail: array<vec3f, 30>, on: bool }
var<private> own: array<u32, 333>;
var<private> nested: array<array<u32, 150>, 3>;
fn chosen(a: array<u32, 150>, i: u32) -> u32 { return a[i]; }
fn changed(a: array<u32, 150>, i: u32) -> array<u32, 150> {
    var b = a;
    b[i] += 1000u;
    return b;
}
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) id: u32) {
    var sum = 0u;
    for (var turn = 0u; turn < 3u; turn++) {
        var a: array<u32, 150>;
        sum += a[(id * 97u + turn) % 150u] + a[149] + a[128];
        a[(id * 97u + turn + 1u) % 150u] = 5u;
        a[149] += 1u;
        a[128] += 1u;
        sum += 10u * a[149];
    }
    out[id] = sum;
    var a: array<u32, 150>;
    a[id + 7u] = id + 1u;
    let before = a;
    a[id + 7u] = 100u;
    var copy = a;
    copy[id + 7u] += 1u;
    a = before;
    out[4u + id] = before[id + 7u] + copy[id + 7u] * 10u + a[id + 7u] * 10000u + before[id];
    a = array<u32, 150>();
    out[8u + id] = a[id + 7u] + own[id * 80u] + own[332] + nested[id % 3u][149u - id];
    own[id * 80u] = 3u;
    let grown = changed(s, 140u + id);
    out[12u + id] = chosen(s, 149u - id) + grown[140u + id] * 10u + grown[id];
    nested[1][id + 20u] = 9u;
    var row = nested[id];
    out[16u + id] = row[id + 20u] + 1u;
    row[id] = 4u;
    nested[id + 1u] = row;
    out[20u + id] = nested[(id + 1u) % 3u][id] + nested[2][id + 20u] * 10u;
    var deep: Deep;
    deep.rows[id + 3u][id] = 2.5;
    deep.tail[29u - id].y = 1.5;
    var other = deep;
    other.k = 6u;
    deep = Deep();
    out[24u + id] = u32(other.rows[id + 3u][id] * 10.0) + u32(other.tail[29u - id].y * 1000.0) + deep.k + other.k +
        u32(deep.rows[id + 3u][id]) + u32(deep.on);
    workgroupBarrier();
    storageBarrier();
    if id == 0u {
        copy[0] = 77u;
        s = copy;
    }
    storageBarrier();
    out[28u + id] = s[id * 7u] + s[7];
}
