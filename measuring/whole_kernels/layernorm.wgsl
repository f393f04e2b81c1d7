// Normalises each row to mean 0 and variance 1, then applies a gain and a bias per column. One workgroup per row.
override columns: u32;
override block = 256u;  // invocations per row, a power of two
override epsilon = 1e-5f;

@group(0) @binding(0) var<storage, read> before: array<f32>;
@group(0) @binding(1) var<storage, read> gain: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> after: array<f32>;

var<workgroup> partial: array<f32, block>;

// The sum of the invocations' values, for all of them.
fn sum_of_all(value: f32, lane: u32) -> f32 {
    partial[lane] = value;
    for (var stride = block / 2; stride > 0; stride /= 2) {
        workgroupBarrier();
        if lane < stride {
            partial[lane] += partial[lane + stride];
        }
    }
    workgroupBarrier();
    let sum = partial[0];
    workgroupBarrier();
    return sum;
}

@compute @workgroup_size(block)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * columns;
    var sum = 0f;
    for (var i = lane; i < columns; i += block) {
        sum += before[row + i];
    }
    let mean = sum_of_all(sum, lane) / f32(columns);

    // A second pass over the row: the mean of the squares minus the square of the mean would cancel.
    var squares = 0f;
    for (var i = lane; i < columns; i += block) {
        let distance = before[row + i] - mean;
        squares += distance * distance;
    }
    let scale = inverseSqrt(sum_of_all(squares, lane) / f32(columns) + epsilon);
    for (var i = lane; i < columns; i += block) {
        after[row + i] = (before[row + i] - mean) * scale * gain[i] + bias[i];
    }
}
