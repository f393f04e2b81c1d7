// after = before transposed, both square, through tiles in workgroup memory whose rows are 33 long: columns then lie in banks of
// their own. Dispatch ceil(side / 32) by ceil(side / 32) workgroups.
override side: u32;

@group(0) @binding(0) var<storage, read> before: array<f32>;
@group(0) @binding(1) var<storage, read_write> after: array<f32>;

var<workgroup> tile: array<f32, 32 * 33>;

@compute @workgroup_size(32, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) place: vec3u) {
    for (var k = 0u; k < 32; k += 8) {
        tile[(place.y + k) * 33 + place.x] = before[(group.y * 32 + place.y + k) * side + group.x * 32 + place.x];
    }
    workgroupBarrier();
    for (var k = 0u; k < 32; k += 8) {
        after[(group.x * 32 + place.y + k) * side + group.y * 32 + place.x] = tile[place.x * 33 + place.y + k];
    }
}
