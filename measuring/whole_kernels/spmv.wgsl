// Multiplies a sparse matrix by a vector: y = a x, a row per invocation. The matrix is in compressed rows (CSR): the elements
// of row r are those from first[r] up to first[r + 1], each with its column.
@group(0) @binding(0) var<storage, read> first: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> elements: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&y) {
        return;
    }
    var sum = 0f;
    for (var i = first[id.x]; i < first[id.x + 1]; i++) {
        sum += elements[i] * x[columns[i]];
    }
    y[id.x] = sum;
}
