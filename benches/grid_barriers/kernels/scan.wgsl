// examples/scan/scan.wgsl, cut by hand: what lives across a barrier goes through `in_front`.
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;
@group(0) @binding(2) var<storage, read_write> in_front: array<u32>;

var<workgroup> tree: array<u32, 256>;

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
fn sum_groups(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
              @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let count = arrayLength(&values);
    let run = (count - 1) / (256 * groups.x) + 1;
    let begin = min(id.x * run, count);
    let end = min(begin + run, count);
    var own = 0u;
    for (var i = begin; i < end; i++) {
        own += values[i];
    }
    let sum = sum_in_front(lane, own);
    in_front[id.x] = sum;
    if lane == 255 {
        totals[group.x] = sum + own;
    }
}

// One workgroup.
@compute @workgroup_size(256)
fn scan_totals(@builtin(local_invocation_index) lane: u32) {
    let count = arrayLength(&totals);
    let run = (count + 255) / 256;
    let begin = min(lane * run, count);
    let end = min(begin + run, count);
    var total = 0u;
    for (var i = begin; i < end; i++) {
        total += totals[i];
    }
    var sum = sum_in_front(lane, total);
    for (var i = begin; i < end; i++) {
        let next = totals[i];
        totals[i] = sum;
        sum += next;
    }
}

@compute @workgroup_size(256)
fn scan_groups(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u,
               @builtin(num_workgroups) groups: vec3u) {
    let count = arrayLength(&values);
    let run = (count - 1) / (256 * groups.x) + 1;
    let begin = min(id.x * run, count);
    let end = min(begin + run, count);
    var sum = totals[group.x] + in_front[id.x];
    for (var i = begin; i < end; i++) {
        let next = values[i];
        values[i] = sum;
        sum += next;
    }
}
