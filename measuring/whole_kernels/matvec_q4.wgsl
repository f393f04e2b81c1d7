// Multiplies a matrix of 4-bit integers, in blocks of 32 with a scale each, by a vector of floats. A word has eight
// weights, each of which is its four bits minus 8. One workgroup per row.
override columns: u32;  // a multiple of 32
const block = 64u;      // invocations per row
const words = 4u;       // per block of weights

@group(0) @binding(0) var<storage, read> weights: array<vec4u>;  // [row][block]
@group(0) @binding(1) var<storage, read> scales: array<f32>;     // [row][block]
@group(0) @binding(2) var<storage, read> x: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

var<workgroup> partial: array<f32, block>;

@compute @workgroup_size(block)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let blocks = columns / (8 * words);
    let row = group.x * blocks;
    var sum = 0f;
    for (var b = lane; b < blocks; b += block) {
        let packed = weights[row + b];
        var products = vec4f();
        for (var i = 0u; i < words; i++) {
            let low = vec4f((vec4u(packed[i]) >> vec4u(0, 4, 8, 12)) & vec4u(15)) - 8;
            let high = vec4f((vec4u(packed[i]) >> vec4u(16, 20, 24, 28)) & vec4u(15)) - 8;
            let at = (b * words + i) * 2;
            products += low * x[at] + high * x[at + 1];
        }
        sum += scales[row + b] * ((products.x + products.y) + (products.z + products.w));
    }
    partial[lane] = sum;
    for (var stride = block / 2; stride > 0; stride /= 2) {
        workgroupBarrier();
        if lane < stride {
            partial[lane] += partial[lane + stride];
        }
    }
    if lane == 0 {
        y[group.x] = partial[0];
    }
}
