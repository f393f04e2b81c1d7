// Bytes are stored before a grid barrier and read behind it; values live across it.
// bind bytes = zeros u8 20
// bind out = zeros u32 20
// workgroups 5
// expect out = u32 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 0 1 2
enable muster_int8_int16;
enable muster_grid_barrier;
@group(0) @binding(0) var<storage, read_write> bytes: array<u8>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
    let mine = i8(id.x) ;
    bytes[19 - id.x] = u8(u32(mine) + 220);
    gridBarrier();
    out[id.x] = u32(u8(u32(bytes[id.x]) + 2 * u32(mine)));
}
