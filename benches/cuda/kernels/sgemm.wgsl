// c = a * b, all n x n and row-major, n a multiple of 128: a workgroup computes 128 x 128 of c, an invocation 8 x 8 of it in
// registers, from tiles in workgroup memory that are 16 deep. The tile of a lies transposed, so that both are read four
// values at a time. Dispatch n / 128 by n / 128 workgroups.
override n: u32;
const side = 32u;   // of a tile, in vectors of four
const depth = 16u;  // of the tiles

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;

var<workgroup> a_tile: array<array<f32, 4 * side>, depth>;  // [inner][row]
var<workgroup> b_tile: array<array<vec4f, side>, depth>;    // [inner][column / 4]

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) place: vec3u,
        @builtin(local_invocation_index) lane: u32) {
    let stride = n / 4;
    var sums: array<array<vec4f, 2>, 8>;
    for (var first = 0u; first < n; first += depth) {
        // 512 vectors of each tile, two by each invocation.
        for (var i = lane; i < 512; i += 256) {
            let row = i / 4;
            let four = a[(group.y * 128 + row) * stride + first / 4 + i % 4];
            let inner = i % 4 * 4;
            a_tile[inner][row] = four.x;
            a_tile[inner + 1][row] = four.y;
            a_tile[inner + 2][row] = four.z;
            a_tile[inner + 3][row] = four.w;
            b_tile[i / side][i % side] = b[(first + i / side) * stride + group.x * side + i % side];
        }
        workgroupBarrier();
        for (var k = 0u; k < depth; k++) {
            let left = b_tile[k][place.x];
            let right = b_tile[k][place.x + 16];
            for (var r = 0u; r < 8; r++) {
                let factor = a_tile[k][place.y * 8 + r];
                sums[r][0] += factor * left;
                sums[r][1] += factor * right;
            }
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < 8; r++) {
        let row = (group.y * 128 + place.y * 8 + r) * stride + group.x * side;
        c[row + place.x] = sums[r][0];
        c[row + place.x + 16] = sums[r][1];
    }
}
