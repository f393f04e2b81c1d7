// Weights of 8 bits with a scale for each block of 16, as quantised models have them.
// bind blocks = random u8 720 11
// bind x = iota f32 16
// bind out = zeros f32 36
enable muster_int8_int16;
struct Block { scale: u16, @size(2) zero: i8, weights: array<i8, 16> }
@group(0) @binding(0) var<storage> blocks: array<Block>;
@group(0) @binding(1) var<storage> x: array<f32, 16>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(36) fn main(@builtin(local_invocation_index) i: u32) {
    if (i >= arrayLength(&blocks)) { return; }
    var sum = 0.0;
    for (var k = 0u; k < 16; k++) { sum += f32(i32(blocks[i].weights[k]) - i32(blocks[i].zero)) * x[k]; }
    out[i] = sum * f32(blocks[i].scale);
}
