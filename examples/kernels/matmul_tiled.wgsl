// Computes c = a * b, row-major, 64 x 64 elements of c per workgroup and 4 x 4 per invocation, in registers, from tiles
// in workgroup memory. An invocation's columns are 16 apart, so that neighbours read and write neighbouring elements;
// its rows are adjacent. Sizes may be any. Dispatch ceil(columns / 64) by
// ceil(rows / 64) workgroups.
const side = 64u;   // of the tile of c
const depth = 32u;  // of the tiles of a and b, along the inner dimension

struct Sizes {
    rows: u32,     // of a and c
    columns: u32,  // of b and c
    inner: u32,    // columns of a, rows of b
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> a_tile: array<f32, side * depth>;  // [row][inner]
var<workgroup> b_tile: array<f32, depth * side>;  // [inner][column]

fn load_tiles(lane: u32, first_row: u32, first_column: u32, first: u32) {
    for (var i = lane; i < side * depth; i += 256) {
        let row = first_row + i / depth;
        let inner = first + i % depth;
        a_tile[i] = 0;
        if row < sizes.rows && inner < sizes.inner {
            a_tile[i] = a[row * sizes.inner + inner];
        }
    }
    for (var i = lane; i < depth * side; i += 256) {
        let inner = first + i / side;
        let column = first_column + i % side;
        b_tile[i] = 0;
        if inner < sizes.inner && column < sizes.columns {
            b_tile[i] = b[inner * sizes.columns + column];
        }
    }
}

fn store_row(row: u32, column: u32, sums: vec4f) {
    if row >= sizes.rows {
        return;
    }
    let start = row * sizes.columns;
    if column < sizes.columns {
        c[start + column] = sums.x;
    }
    if column + 16 < sizes.columns {
        c[start + column + 16] = sums.y;
    }
    if column + 32 < sizes.columns {
        c[start + column + 32] = sums.z;
    }
    if column + 48 < sizes.columns {
        c[start + column + 48] = sums.w;
    }
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) place: vec3u,
        @builtin(local_invocation_index) lane: u32) {
    let first_row = group.y * side;
    let first_column = group.x * side;
    let top = place.y * 4 * depth;
    var sums0: vec4f;
    var sums1: vec4f;
    var sums2: vec4f;
    var sums3: vec4f;
    for (var first = 0u; first < sizes.inner; first += depth) {
        load_tiles(lane, first_row, first_column, first);
        workgroupBarrier();
        for (var k = 0u; k < depth; k++) {
            let at = k * side + place.x;
            let row = vec4(b_tile[at], b_tile[at + 16], b_tile[at + 32], b_tile[at + 48]);
            sums0 += a_tile[top + k] * row;
            sums1 += a_tile[top + depth + k] * row;
            sums2 += a_tile[top + 2 * depth + k] * row;
            sums3 += a_tile[top + 3 * depth + k] * row;
        }
        workgroupBarrier();
    }
    let row = first_row + place.y * 4;
    let column = first_column + place.x;
    store_row(row, column, sums0);
    store_row(row + 1, column, sums1);
    store_row(row + 2, column, sums2);
    store_row(row + 3, column, sums3);
}
