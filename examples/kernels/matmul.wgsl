// Computes c = a * b, row-major, with square tiles in workgroup memory. Sizes need not be multiples of the tile.
override tile: u32 = 16;

struct Sizes {
    rows: u32,     // of a and c
    columns: u32,  // of b and c
    inner: u32,    // columns of a, rows of b
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> a_tile: array<f32, tile * tile>;
var<workgroup> b_tile: array<f32, tile * tile>;

@compute @workgroup_size(tile, tile)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) place: vec3<u32>) {
    let row = id.y;
    let column = id.x;
    let here = place.y * tile + place.x;
    var sum = 0f;
    for (var first = 0u; first < sizes.inner; first += tile) {
        a_tile[here] = 0;
        b_tile[here] = 0;
        if row < sizes.rows && first + place.x < sizes.inner {
            a_tile[here] = a[row * sizes.inner + first + place.x];
        }
        if column < sizes.columns && first + place.y < sizes.inner {
            b_tile[here] = b[(first + place.y) * sizes.columns + column];
        }
        workgroupBarrier();
        for (var k = 0u; k < tile; k++) {
            sum += a_tile[place.y * tile + k] * b_tile[k * tile + place.x];
        }
        workgroupBarrier();
    }
    if row < sizes.rows && column < sizes.columns {
        c[row * sizes.columns + column] = sum;
    }
}
