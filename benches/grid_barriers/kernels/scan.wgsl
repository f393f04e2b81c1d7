// Entry points behind the text of examples/scan/scan.wgsl, which is cut by hand here: what lives across a barrier goes
// through `in_front`.
@group(0) @binding(2) var<storage, read_write> in_front: array<u32>;

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
