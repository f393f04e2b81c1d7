// c = a * b, all n x n and row-major, n a multiple of 128: a workgroup computes 128 x 128 of c, an invocation 8 x 8 of it in
// registers, from tiles in workgroup memory that are 16 deep. While it computes with one pair of tiles, its part of the next is on
// its way from memory. The tile of a lies transposed, so that both are read four values at a time. Dispatch n / 128 by n / 128
// workgroups.
override n: u32;
const depth = 16u;  // of the tiles

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;

var<workgroup> a_tile: array<array<vec4f, 33>, depth>;  // [inner][row / 4]; one more, so that stores meet fewer banks twice
var<workgroup> b_tile: array<array<vec4f, 32>, depth>;  // [inner][column / 4]

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) place: vec3u,
        @builtin(local_invocation_index) lane: u32) {
    let stride = n / 4;
    // Each tile has 512 vectors: two for each invocation, 64 rows of a, or 8 of b, apart.
    let row = lane / 4;
    let inner = lane % 4 * 4;
    let a_from = (group.y * 128 + row) * stride + lane % 4;
    let b_from = lane / 32 * stride + group.x * 32 + lane % 32;
    var next_a = array(a[a_from], a[a_from + 64 * stride]);
    var next_b = array(b[b_from], b[b_from + 8 * stride]);
    var sums: array<array<vec4f, 2>, 8>;
    for (var first = 0u; first < n; first += depth) {
        for (var half = 0u; half < 2; half++) {
            let four = next_a[half];
            let at = half * 16 + row / 4;
            a_tile[inner][at][row % 4] = four.x;
            a_tile[inner + 1][at][row % 4] = four.y;
            a_tile[inner + 2][at][row % 4] = four.z;
            a_tile[inner + 3][at][row % 4] = four.w;
            b_tile[lane / 32 + half * 8][lane % 32] = next_b[half];
        }
        workgroupBarrier();
        if first + depth < n {
            let a_next = a_from + (first + depth) / 4;
            let b_next = b_from + (first + depth) * stride;
            next_a = array(a[a_next], a[a_next + 64 * stride]);
            next_b = array(b[b_next], b[b_next + 8 * stride]);
        }
        for (var k = 0u; k < depth; k++) {
            let left = b_tile[k][place.x];
            let right = b_tile[k][place.x + 16];
            let upper = a_tile[k][place.y * 2];
            let lower = a_tile[k][place.y * 2 + 1];
            sums[0][0] += upper.x * left;
            sums[0][1] += upper.x * right;
            sums[1][0] += upper.y * left;
            sums[1][1] += upper.y * right;
            sums[2][0] += upper.z * left;
            sums[2][1] += upper.z * right;
            sums[3][0] += upper.w * left;
            sums[3][1] += upper.w * right;
            sums[4][0] += lower.x * left;
            sums[4][1] += lower.x * right;
            sums[5][0] += lower.y * left;
            sums[5][1] += lower.y * right;
            sums[6][0] += lower.z * left;
            sums[6][1] += lower.z * right;
            sums[7][0] += lower.w * left;
            sums[7][1] += lower.w * right;
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < 8; r++) {
        let start = (group.y * 128 + place.y * 8 + r) * stride + group.x * 32 + place.x;
        c[start] = sums[r][0];
        c[start + 16] = sums[r][1];
    }
}
