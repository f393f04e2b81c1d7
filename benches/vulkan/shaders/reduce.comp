#version 450
#extension GL_GOOGLE_include_directive : require
#include "access.glsl"

// Sums 512 values per workgroup.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly restrict buffer Values { float values[]; };
layout(std430, binding = 1) restrict writeonly buffer Sums { float sums[]; };

shared float partial[256];

// The kernel's own condition, guarded or not.
float value_or_zero(uint i) { return i < uint(values.length()) ? values[i] : 0; }

void main() {
    uint lane = gl_LocalInvocationIndex;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint first = 512 * group + lane;
    partial[lane] = value_or_zero(first) + value_or_zero(first + 256);
    for (uint stride = 128; stride > 0; stride /= 2) {
        barrier();
        if (lane < stride) partial[lane] += partial[lane + stride];
    }
    if (lane == 0) { STORE(sums, group, partial[0]); }
}
