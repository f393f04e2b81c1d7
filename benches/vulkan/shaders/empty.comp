#version 450

layout(local_size_x = 1) in;
layout(std430, binding = 0) restrict buffer Data { uint data[1]; };

void main() {
    if (data[0] != 0) data[0] = 0;
}
