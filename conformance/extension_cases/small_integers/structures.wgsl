// Members of 1 and 2 bytes lie where WGSL's rules put them, and a store of the whole leaves the padding.
// bind blocks = u8 1 255 2 0 3 0 4 0 5 6 7 99 0 0 128 63 11 245 12 0 13 0 14 0 15 16 17 98 0 0 0 64
// bind out = u8 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
// expect out = u8 11 245 12 0 13 0 14 0 15 16 17 1 0 0 0 64 1 255 2 0 3 0 4 0 5 6 7 1 0 0 128 63
enable muster_int8_int16;
struct Block { zero: u8, sign: i8, low: u16, pair: vec2<u16>, three: vec3<u8>, scale: f32 }
@group(0) @binding(0) var<storage> blocks: array<Block>;
@group(0) @binding(1) var<storage, read_write> out: array<Block>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    let block = blocks[1 - i];
    out[i] = block;
}
