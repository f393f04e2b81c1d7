// Inclusive prefix sums within blocks of 256 integers, and each block's total.
@group(0) @binding(0) var<storage, read_write> values: array<i32>;
@group(0) @binding(1) var<storage, read_write> totals: array<i32>;

var<workgroup> sums: array<i32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3<u32>) {
    let inside = id.x < arrayLength(&values);
    if inside {
        sums[lane] = values[id.x];
    }
    workgroupBarrier();
    for (var distance = 1u; distance < 256; distance <<= 1) {
        var left = 0;
        if lane >= distance {
            left = sums[lane - distance];
        }
        workgroupBarrier();
        sums[lane] += left;
        workgroupBarrier();
    }
    if inside {
        values[id.x] = sums[lane];
    }
    if lane == 255 {
        totals[group.x] = sums[lane];
    }
}
