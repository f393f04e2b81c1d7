#version 450
#extension GL_GOOGLE_include_directive : require
#include "access.glsl"

layout(local_size_x = 64, local_size_y = 4) in;
layout(constant_id = 0) const uint width = 512;
layout(constant_id = 1) const uint height = 512;
layout(std430, binding = 0) readonly restrict buffer Before { float before[]; };
layout(std430, binding = 1) writeonly restrict buffer After { float after[]; };

void main() {
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
    uint i = y * width + x;
    PRECISE float mean = 0.2 * (LOAD(before, i) + LOAD(before, i - 1) + LOAD(before, i + 1) +
                                LOAD(before, i - width) + LOAD(before, i + width));
    STORE(after, i, mean);
}
