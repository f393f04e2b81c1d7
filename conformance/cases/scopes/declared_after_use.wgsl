// Module scope has no order: functions, types, constants and variables may be declared after their use.
// bind out = zeros u32 4
// expect out = u32 8 9 7 42
@compute @workgroup_size(size) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = table()[i];
}
fn table() -> Table { return Table(four * 2, nine(), 7, u32(answer)); }
fn nine() -> u32 { return four + 5; }
alias Table = array<u32, size>;
const size = four;
const four = 4u;
const answer = 6.0 * 7;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
