#version 450
#extension GL_GOOGLE_include_directive : require
#include "access.glsl"

layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly restrict buffer Words { uint words[]; };
layout(std430, binding = 1) restrict buffer Counts { uint counts[256]; };

shared uint local_counts[256];

void main() {
    uint lane = gl_LocalInvocationIndex;
    local_counts[lane] = 0;
    barrier();
    uint step = 256 * gl_NumWorkGroups.x;
    for (uint i = gl_GlobalInvocationID.x; i < uint(words.length()); i += step) {
        uint word = LOAD(words, i);
        for (uint byte = 0; byte < 4; byte++) atomicAdd(local_counts[bitfieldExtract(word, int(8 * byte), 8)], 1);
    }
    barrier();
    uint count = local_counts[lane];
    if (count != 0) atomicAdd(counts[lane], count);
}
