// Exclusive prefix sums, in place: each value becomes the sum of all values before it. Takes any number of values and of
// workgroups; `totals` has a word for each workgroup. An invocation handles a run of adjacent values.
enable muster_grid_barrier;

@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;

var<workgroup> tree: array<u32, 256>;

// The sum of the values that the workgroup's invocations before this one pass in `own`, by a tree of sums, up and down.
fn sum_in_front(lane: u32, own: u32) -> u32 {
    tree[lane] = own;
    for (var width = 2u; width <= 256; width <<= 1) {
        workgroupBarrier();
        let end = (lane + 1) * width - 1;
        if end < 256 {
            tree[end] += tree[end - width / 2];
        }
    }
    workgroupBarrier();
    if lane == 255 {
        tree[255] = 0;
    }
    for (var width = 256u; width >= 2; width >>= 1) {
        workgroupBarrier();
        let end = (lane + 1) * width - 1;
        if end < 256 {
            let left = tree[end - width / 2];
            tree[end - width / 2] = tree[end];
            tree[end] += left;
        }
    }
    workgroupBarrier();
    return tree[lane];
}

@compute @workgroup_size(256)
fn scan(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let count = arrayLength(&values);
    let run = (count - 1) / (256 * groups.x) + 1;
    let begin = min(id.x * run, count);
    let end = min(begin + run, count);

    var own = 0u;
    for (var i = begin; i < end; i++) {
        own += values[i];
    }
    let in_front = sum_in_front(lane, own);
    if lane == 255 {
        totals[group.x] = in_front + own;
    }
    gridBarrier();

    // The first workgroup replaces each workgroup's total by the sum of all totals before it.
    if group.x == 0 {
        let total_run = (groups.x + 255) / 256;
        let totals_begin = min(lane * total_run, groups.x);
        let totals_end = min(totals_begin + total_run, groups.x);
        var total = 0u;
        for (var i = totals_begin; i < totals_end; i++) {
            total += totals[i];
        }
        var sum = sum_in_front(lane, total);
        for (var i = totals_begin; i < totals_end; i++) {
            let next = totals[i];
            totals[i] = sum;
            sum += next;
        }
    }
    gridBarrier();

    var sum = totals[group.x] + in_front;
    for (var i = begin; i < end; i++) {
        let next = values[i];
        values[i] = sum;
        sum += next;
    }
}
