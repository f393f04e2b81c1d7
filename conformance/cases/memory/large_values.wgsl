// Values of hundreds of words are copied, kept while their memory changes, and split.
// bind input = iota u32 400
// bind out = zeros u32 400
// bind seen = zeros u32 12
// workgroups 2
// expect seen = u32 400 401 402 403 404 405 400 401 402 403 404 405
struct Rows { first: u32, rows: array<array<u32, 133>, 3> }
@group(0) @binding(0) var<storage, read> input: Rows;
@group(0) @binding(1) var<storage, read_write> out: Rows;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
var<private> kept: array<u32, 133>;
fn turned(rows: array<array<u32, 133>, 3>, by: u32) -> array<array<u32, 133>, 3> {
    var made: array<array<u32, 133>, 3>;
    for (var k = 0u; k < 3; k++) {
        made[k] = rows[(k + by) % 3];
    }
    return made;
}
@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3u) {
    let all = input.rows;
    kept = all[1];
    let before = kept;
    kept = turned(all, 1)[2];
    kept[lane] += 100;
    if id.x == 3 {
        out = Rows(7, turned(input.rows, 2));
    }
    seen[id.x] = before[132] + kept[lane] + kept[lane + 133] + 33;
}
