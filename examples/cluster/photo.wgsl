// Smooths a picture's noise but keeps its edges (a bilateral filter). A pixel is a word: red, green, blue and alpha, 8 bits each.
const reach = 2;     // pixels on each side that the filter looks at
const noise = 0.1;   // colours that differ by much less than this are averaged, by much more kept apart

@group(0) @binding(0) var<storage, read> source: array<u32>;  // rows from the top
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@group(0) @binding(2) var<uniform> size: vec2u;               // width and height in pixels

fn pixel(at: vec2i) -> vec4f {
    let inside = vec2u(clamp(at, vec2i(), vec2i(size) - 1));
    return unpack4x8unorm(source[inside.y * size.x + inside.x]);
}

@compute @workgroup_size(16, 16)
fn photo(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= size) {
        return;
    }
    let centre = pixel(vec2i(id.xy));
    var sum = vec4f();
    var weights = 0.0;
    for (var dy = -reach; dy <= reach; dy++) {
        for (var dx = -reach; dx <= reach; dx++) {
            let colour = pixel(vec2i(id.xy) + vec2i(dx, dy));
            let difference = (colour - centre) / noise;
            let weight = 1.0 / (1.0 + dot(difference, difference));
            sum += weight * colour;
            weights += weight;
        }
    }
    result[id.y * size.x + id.x] = pack4x8unorm(sum / weights);
}
