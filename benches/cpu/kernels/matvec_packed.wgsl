// Multiplies a matrix by a vector, both of signed bytes, four to a word. One workgroup per row.
override words: u32;  // per row
const lanes = 16u;

@group(0) @binding(0) var<storage, read> matrix: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<i32>;

var<workgroup> partial: array<i32, lanes>;

@compute @workgroup_size(lanes)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    var sum = 0i;
    for (var i = lane; i < words; i += lanes) {
        sum += dot4I8Packed(matrix[group.x * words + i], x[i]);
    }
    partial[lane] = sum;
    for (var stride = lanes / 2; stride > 0; stride /= 2) {
        workgroupBarrier();
        if lane < stride {
            partial[lane] += partial[lane + stride];
        }
    }
    if lane == 0 {
        y[group.x] = partial[0];
    }
}
