// Counts how often each of 256 byte values occurs, four bytes to a word: first per workgroup, then added up.
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 256>;

var<workgroup> local_counts: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32,
        @builtin(num_workgroups) groups: vec3<u32>) {
    let step = 256 * groups.x;
    for (var i = id.x; i < arrayLength(&words); i += step) {
        let word = words[i];
        for (var byte = 0u; byte < 4; byte++) {
            atomicAdd(&local_counts[extractBits(word, 8 * byte, 8)], 1);
        }
    }
    workgroupBarrier();
    let count = atomicLoad(&local_counts[lane]);
    if count != 0 {
        atomicAdd(&counts[lane], count);
    }
}
