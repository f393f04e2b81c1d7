// Computes c = a * b, row-major, of 16-bit floats with 32-bit sums. A workgroup makes a tile of 32 x 32 results from tiles of a
// and b in workgroup memory, an invocation 4 x 4 of them in registers. Dispatch ceil(columns / 32) by ceil(rows / 32)
// workgroups. The columns and the inner size are multiples of 4; the rows need not be.
enable f16;

const tile = 32u;   // rows and columns
const depth = 16u;  // of the tiles of a and b, along the inner size
const side = 8u;    // invocations along rows and columns

struct Sizes {
    rows: u32,          // of a and c
    column_quads: u32,  // of b and c, in vectors of 4
    inner: u32,         // columns of a, rows of b
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> a: array<vec4h>;
@group(0) @binding(2) var<storage, read> b: array<vec4h>;
@group(0) @binding(3) var<storage, read_write> c: array<vec4f>;

var<workgroup> a_tile: array<array<vec4h, depth / 4>, tile>;
var<workgroup> b_tile: array<array<vec4h, tile / 4>, depth>;

// Copies the tiles from `first` on along the inner size; beyond the ends, zeros.
fn load_tiles(group: vec3u, first: u32, lane: u32) {
    for (var i = lane; i < tile * depth / 4; i += side * side) {
        let row = group.y * tile + i / (depth / 4);
        let place = first + 4 * (i % (depth / 4));
        let is_in_a = row < sizes.rows && place < sizes.inner;
        a_tile[i / (depth / 4)][i % (depth / 4)] = select(vec4h(), a[(row * sizes.inner + place) / 4], is_in_a);

        let quad = group.x * tile / 4 + i % (tile / 4);
        let line = first + i / (tile / 4);
        let is_in_b = quad < sizes.column_quads && line < sizes.inner;
        b_tile[i / (tile / 4)][i % (tile / 4)] = select(vec4h(), b[line * sizes.column_quads + quad], is_in_b);
    }
}

@compute @workgroup_size(side, side)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) place: vec3u,
        @builtin(local_invocation_index) lane: u32) {
    var sums: array<vec4f, 4>;
    for (var first = 0u; first < sizes.inner; first += depth) {
        load_tiles(group, first, lane);
        workgroupBarrier();
        for (var quad = 0u; quad < depth / 4; quad++) {
            for (var k = 0u; k < 4; k++) {
                let right = vec4f(b_tile[4 * quad + k][place.x]);
                for (var r = 0u; r < 4; r++) {
                    sums[r] += f32(a_tile[4 * place.y + r][quad][k]) * right;
                }
            }
        }
        workgroupBarrier();
    }
    let quad = group.x * tile / 4 + place.x;
    for (var r = 0u; r < 4; r++) {
        let row = group.y * tile + 4 * place.y + r;
        if row < sizes.rows && quad < sizes.column_quads {
            c[row * sizes.column_quads + quad] = sums[r];
        }
    }
}
