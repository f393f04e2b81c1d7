// photo.wgsl - flatters a portrait: smooths skin and noise but keeps edges (a bilateral filter), then applies a gentle
// S-shaped tone curve, warmer light and a vignette.
//
//     muster run examples/photo/photo.wgsl --bind source=portrait.jpg --bind result=like:source
//         --bind size=extent:source --invocations extent:source --out result=portrait.png

override reach: i32 = 2;          // pixels from one tap of the filter to the next
override noise: f32 = 0.08;       // differences in brightness well below this are smoothed, well above it kept
override contrast: f32 = 0.35;    // 0 leaves the tones unchanged, 1 is harsh
override vignette: f32 = 0.5;     // how much darker the corners become

@group(0) @binding(0) var<storage, read> source: array<vec4f>;         // RGBA, 0 to 1, rows from the top
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;
@group(0) @binding(2) var<uniform> size: vec2u;                        // width and height in pixels

const warmth = vec3f(1.04, 1.0, 0.94);

fn pixel(x: i32, y: i32) -> vec3f {
  let column = u32(clamp(x, 0, i32(size.x) - 1));
  let row = u32(clamp(y, 0, i32(size.y) - 1));
  return source[row * size.x + column].rgb;
}

fn brightness(colour: vec3f) -> f32 {
  return dot(colour, vec3f(0.2126, 0.7152, 0.0722));
}

// The weighted mean of a pixel and its neighbours: the more a neighbour's brightness differs, the less it counts.
fn smoothed(x: i32, y: i32) -> vec3f {
  let centre = pixel(x, y);
  let level = brightness(centre);
  var sum = vec3f();
  var weights = 0.0;
  for (var dy = -1; dy <= 1; dy++) {
    for (var dx = -1; dx <= 1; dx++) {
      let colour = pixel(x + dx * reach, y + dy * reach);
      let difference = (brightness(colour) - level) / noise;
      let weight = 1.0 / (1.0 + difference * difference);
      sum += weight * colour;
      weights += weight;
    }
  }
  return sum / weights;
}

@compute @workgroup_size(16, 16)
fn photo(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= size.x || id.y >= size.y) {
    return;
  }
  var colour = clamp(smoothed(i32(id.x), i32(id.y)) * warmth, vec3f(0.0), vec3f(1.0));
  colour = mix(colour, colour * colour * (3.0 - 2.0 * colour), contrast);

  let from_centre = (vec2f(id.xy) + 0.5) / vec2f(size) - 0.5;  // -0.5 to 0.5
  colour *= 1.0 - vignette * dot(from_centre, from_centre);

  let i = id.y * size.x + id.x;
  result[i] = vec4f(colour, source[i].a);
}
