// Multiplies a matrix by a vector, both of 8-bit integers in blocks of 32 with a scale each. A block's products are added
// in integers, four to an operation. One workgroup per row.
override columns: u32;   // a multiple of 32
const block = 64u;       // invocations per row
const words = 8u;        // per block of values, of four values each

@group(0) @binding(0) var<storage, read> weights: array<u32>;        // [row][word]
@group(0) @binding(1) var<storage, read> weight_scales: array<f32>;  // [row][block]
@group(0) @binding(2) var<storage, read> x: array<u32>;
@group(0) @binding(3) var<storage, read> x_scales: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

var<workgroup> partial: array<f32, block>;

@compute @workgroup_size(block)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    let blocks = columns / (4 * words);
    let row = group.x * blocks;
    var sum = 0f;
    for (var b = lane; b < blocks; b += block) {
        var products = 0i;
        for (var i = 0u; i < words; i++) {
            products += dot4I8Packed(weights[(row + b) * words + i], x[b * words + i]);
        }
        sum += f32(products) * (weight_scales[row + b] * x_scales[b]);
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
