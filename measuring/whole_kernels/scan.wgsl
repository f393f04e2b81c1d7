// Inclusive prefix sums of integers in three steps: those within blocks of 1024, those of the blocks' totals by one workgroup,
// and both added up. Dispatch `blocks` and `add` on ceil(size / 1024) workgroups, `totals_before` between them on one.
const lanes = 256u;
const each = 4u;  // values of an invocation
const block = lanes * each;

@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;  // of blocks; then of all blocks before

var<workgroup> sums: array<u32, lanes>;

// The sum of the lower lanes' values.
fn sum_below(own: u32, lane: u32) -> u32 {
    sums[lane] = own;
    workgroupBarrier();
    for (var distance = 1u; distance < lanes; distance *= 2) {
        var left = 0u;
        if lane >= distance {
            left = sums[lane - distance];
        }
        workgroupBarrier();
        sums[lane] += left;
        workgroupBarrier();
    }
    return sums[lane] - own;
}

@compute @workgroup_size(lanes)
fn blocks(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * block + lane * each;
    let end = min(first + each, arrayLength(&before));
    var own = 0u;
    for (var i = first; i < end; i++) {
        own += before[i];
    }
    var sum = sum_below(own, lane);
    for (var i = first; i < end; i++) {
        sum += before[i];
        after[i] = sum;
    }
    if lane == lanes - 1 {
        totals[group.x] = sum;
    }
}

@compute @workgroup_size(lanes)
fn totals_before(@builtin(local_invocation_index) lane: u32) {
    let size = arrayLength(&totals);
    var sum = 0u;
    for (var first = 0u; first < size; first += lanes) {
        var own = 0u;
        if first + lane < size {
            own = totals[first + lane];
        }
        let below = sum_below(own, lane);
        if first + lane < size {
            totals[first + lane] = sum + below;
        }
        sum += sums[lanes - 1];
        workgroupBarrier();
    }
}

@compute @workgroup_size(lanes)
fn add(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let total = totals[group.x];
    let end = min((group.x + 1) * block, arrayLength(&after));
    for (var i = group.x * block + lane; i < end; i += lanes) {
        after[i] += total;
    }
}
