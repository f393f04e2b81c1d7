#version 450
#extension GL_GOOGLE_include_directive : require
#include "access.glsl"

// More workgroups than an axis allows, so two axes.
layout(local_size_x = 256) in;
layout(push_constant) uniform Values { float a; };
layout(std430, binding = 0) readonly restrict buffer X { float x[]; };
layout(std430, binding = 1) restrict buffer Y { float y[]; };

void main() {
    uint i = 256 * (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) + gl_LocalInvocationID.x;
    PRECISE float made = a * LOAD(x, i) + LOAD(y, i);
    STORE(y, i, made);
}
