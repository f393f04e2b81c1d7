// Softmax of each row, one workgroup per row: the greatest and the sum by trees in workgroup memory.
override columns: u32;
const block = 256u;

@group(0) @binding(0) var<storage, read> before: array<f32>;
@group(0) @binding(1) var<storage, read_write> after: array<f32>;

var<workgroup> partial: array<f32, block>;

@compute @workgroup_size(block)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * columns;
    var greatest = before[row];
    for (var i = lane; i < columns; i += block) {
        greatest = max(greatest, before[row + i]);
    }
    partial[lane] = greatest;
    for (var stride = block / 2; stride > 0; stride /= 2) {
        workgroupBarrier();
        if lane < stride {
            partial[lane] = max(partial[lane], partial[lane + stride]);
        }
    }
    workgroupBarrier();
    greatest = partial[0];
    workgroupBarrier();

    var sum = 0f;
    for (var i = lane; i < columns; i += block) {
        let e = exp(before[row + i] - greatest);
        after[row + i] = e;
        sum += e;
    }
    partial[lane] = sum;
    for (var stride = block / 2; stride > 0; stride /= 2) {
        workgroupBarrier();
        if lane < stride {
            partial[lane] += partial[lane + stride];
        }
    }
    workgroupBarrier();
    let scale = 1 / partial[0];
    for (var i = lane; i < columns; i += block) {
        after[row + i] *= scale;
    }
}
