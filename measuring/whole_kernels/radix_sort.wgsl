// Sorts keys, and a payload with each, stably by four bits, from bit `shift` on. Dispatch for shift 0, 4, ... 28: `count` and
// `scatter` on ceil(keys / 256) workgroups, `scan` between them on one.
const block = 256u;
const digits = 16u;
const mask_words = block / 32;

@group(0) @binding(0) var<uniform> shift: u32;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> payloads: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;  // [digit][workgroup]; scanned: where those keys go
@group(0) @binding(4) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read_write> sorted_payloads: array<u32>;

// For each digit, a bit for each invocation whose key has it.
var<workgroup> masks: array<array<atomic<u32>, mask_words>, digits>;

fn digit_of(key: u32) -> u32 {
    return extractBits(key, shift, 4);
}

// The set bits of a digit's mask below bit `end`.
fn count_below(digit: u32, end: u32) -> u32 {
    var count = 0u;
    for (var word = 0u; word < end / 32; word++) {
        count += countOneBits(atomicLoad(&masks[digit][word]));
    }
    if end % 32 != 0 {
        count += countOneBits(extractBits(atomicLoad(&masks[digit][end / 32]), 0, end % 32));
    }
    return count;
}

fn mark(id: u32, lane: u32) {
    if id < arrayLength(&keys) {
        atomicOr(&masks[digit_of(keys[id])][lane / 32], 1u << (lane % 32));
    }
    workgroupBarrier();
}

@compute @workgroup_size(block)
fn count(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
         @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
    mark(id.x, lane);
    if lane < digits {
        counts[lane * groups.x + group.x] = count_below(lane, block);
    }
}

var<workgroup> sums: array<u32, block>;

// Replaces each count by the sum of those before it, 256 at a time.
@compute @workgroup_size(block)
fn scan(@builtin(local_invocation_index) lane: u32) {
    let size = arrayLength(&counts);
    var before = 0u;
    for (var first = 0u; first < size; first += block) {
        var own = 0u;
        if first + lane < size {
            own = counts[first + lane];
        }
        sums[lane] = own;
        workgroupBarrier();
        for (var distance = 1u; distance < block; distance *= 2) {
            var left = 0u;
            if lane >= distance {
                left = sums[lane - distance];
            }
            workgroupBarrier();
            sums[lane] += left;
            workgroupBarrier();
        }
        if first + lane < size {
            counts[first + lane] = before + sums[lane] - own;
        }
        before += sums[block - 1];
        workgroupBarrier();
    }
}

@compute @workgroup_size(block)
fn scatter(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
           @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
    mark(id.x, lane);
    if id.x < arrayLength(&keys) {
        let digit = digit_of(keys[id.x]);
        let to = counts[digit * groups.x + group.x] + count_below(digit, lane);
        sorted_keys[to] = keys[id.x];
        sorted_payloads[to] = payloads[id.x];
    }
}
