#version 450
#extension GL_GOOGLE_include_directive : require
#include "access.glsl"

layout(local_size_x = 16, local_size_y = 16) in;
layout(constant_id = 0) const uint width = 512;
layout(constant_id = 1) const uint height = 512;
layout(constant_id = 2) const uint limit = 256;
layout(std430, binding = 0) writeonly restrict buffer Steps { uint steps[]; };

const vec2 lower_left = vec2(-2.0, -1.25), upper_right = vec2(0.5, 1.25);

uint escape_steps(vec2 c) {
    PRECISE vec2 z = vec2(0);
    for (uint i = 0; i < limit; i++) {
        PRECISE float squared = z.x * z.x + z.y * z.y;
        if (squared > 4) return i;
        z = vec2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    }
    return limit;
}

void main() {
    uvec2 id = gl_GlobalInvocationID.xy;
    if (id.x >= width || id.y >= height) return;
    PRECISE vec2 place = (vec2(id) + 0.5) / vec2(float(width), float(height));
    PRECISE vec2 c = lower_left * (1 - place) + upper_right * place;
    uint made = escape_steps(c);
    STORE(steps, id.y * width + id.x, made);
}
