// Two f16 are the halves of a word, the first the lower one; a NaN's bits are 0x7e00 where they can be seen.
// bind halves = f16 1 -2 nan 0x1p-24 inf -0.0 0.1 65504
// bind words = u32 3221240832 32769
// bind out = zeros u32 8
// bind back = zeros f16 8
// expect out = u32 3221240832 97792 2147515392 2080321126 1073757184 3221240832 3221240832 32769
// expect back = f16 1 -2 -0x1p-24 0 1 -2 -0x1p-24 0
enable f16;
@group(0) @binding(0) var<storage, read> halves: array<vec2h>;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> back: array<vec2h>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = bitcast<u32>(halves[i]);
    out[i + 2] = bitcast<u32>(halves[i + 2]);
    out[i + 4] = bitcast<u32>(abs(bitcast<vec2h>(words[0])) * vec2h(1, 1) * select(vec2h(1), vec2h(1, -1), i == 1));
    let four = bitcast<vec4h>(vec2f(bitcast<f32>(words[0]), bitcast<f32>(words[1])));
    out[i + 6] = bitcast<vec2u>(four)[i];
    back[i] = bitcast<vec2h>(words[i]);
    back[i + 2] = select(four.xy, four.zw, i == 1);
}
