// The sum of each block of 2 * block values: one partial sum per workgroup, by a tree in workgroup memory.
override block: u32 = 256;

@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> partial: array<f32, block>;

fn value_or_zero(i: u32) -> f32 {
    if i >= arrayLength(&values) {
        return 0;
    }
    return values[i];
}

@compute @workgroup_size(block)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = 2 * block * group.x + lane;
    partial[lane] = value_or_zero(first) + value_or_zero(first + block);
    for (var stride = block / 2; stride > 0; stride /= 2) {
        workgroupBarrier();
        if lane < stride {
            partial[lane] += partial[lane + stride];
        }
    }
    if lane == 0 {
        sums[group.x] = partial[0];
    }
}
