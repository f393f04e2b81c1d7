// Hexadecimal and decimal literals, abstract or with a suffix, give the nearest f32.
// bind out = zeros f32 8
// expect out = f32 0x1p-149 0x1.fffffep127 10.5 0.1 16777216 1.5 -0.0 0x1.000002p0
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() {
    out[0] = bitcast<f32>(select(1u, 0u, 0x1p-149f == 0));
    out[1] = 0xffffff.p104f;
    out[2] = 0xA.8p0;
    out[3] = .1;
    out[4] = 16777217.0;
    out[5] = 15e-1f;
    out[6] = -0.0;
    out[7] = 1.00000012;
}
