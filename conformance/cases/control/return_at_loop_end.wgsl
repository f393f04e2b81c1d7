// A return at the end of a loop's body, which only some reach, ends the loop for them.
// bind turns = zeros u32 1
// bind out = zeros u32 8
// expect turns = u32 1
// expect out = u32 7 7 7 0 0 0 0 0
@group(0) @binding(0) var<storage, read_write> turns: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    var turn = 0u;
    loop {
        turn += 1u;
        turns[0] = turn;
        if (i < 3u) { break; }
        return;
    }
    out[i] = 7u;
}
