// The operand that && or || skips in a const-expression isn't evaluated.
// bind out = zeros u32 2
// expect out = u32 0 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
const zero = 0;
const skipped = zero != 0 && 1 / zero > 0;
const taken = zero == 0 || 1 % zero > 0;
@compute @workgroup_size(1) fn main() {
    out[0] = u32(skipped);
    out[1] = u32(taken);
}
