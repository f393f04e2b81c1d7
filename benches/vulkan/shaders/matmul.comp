#version 450
#extension GL_GOOGLE_include_directive : require
#include "access.glsl"

layout(local_size_x = 16, local_size_y = 16) in;
layout(push_constant) uniform Sizes { uint rows, columns, inner; };
layout(std430, binding = 0) readonly restrict buffer A { float a[]; };
layout(std430, binding = 1) readonly restrict buffer B { float b[]; };
layout(std430, binding = 2) writeonly restrict buffer C { float c[]; };

shared float a_tile[16][16], b_tile[16][16];

void main() {
    uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    PRECISE float sum = 0;
    for (uint first = 0; first < inner; first += 16) {
        a_tile[y][x] = 0;
        b_tile[y][x] = 0;
        if (row < rows && first + x < inner) a_tile[y][x] = LOAD(a, row * inner + first + x);
        if (column < columns && first + y < inner) b_tile[y][x] = LOAD(b, (first + y) * columns + column);
        barrier();
        for (uint k = 0; k < 16; k++) sum += a_tile[y][k] * b_tile[k][x];
        barrier();
    }
    if (row < rows && column < columns) { STORE(c, row * columns + column, sum); }
}
