// The kernels, written in OpenCL C as a person would, for pocl: the same algorithms and workgroups as the WGSL ones.
// EXACT: no contraction.
#ifdef EXACT
#pragma OPENCL FP_CONTRACT OFF
#endif

kernel void empty(uint n, global uint* data) {
    if (n != 0) data[0] = n;
}

kernel void saxpy(float a, global const float* x, global float* y) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

kernel void saxpy_guarded(float a, uint n, global const float* x, global float* y) {
    size_t i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}

kernel void reduce(uint n, global const float* values, global float* sums) {
    local float partial[256];
    uint lane = get_local_id(0), first = 512 * get_group_id(0) + lane;
    partial[lane] = (first < n ? values[first] : 0) + (first + 256 < n ? values[first + 256] : 0);
    for (uint stride = 128; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < stride) partial[lane] += partial[lane + stride];
    }
    if (lane == 0) sums[get_group_id(0)] = partial[0];
}

kernel void mandelbrot(uint width, uint height, uint limit, global uint* steps) {
    uint column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height) return;
    float tx = (column + 0.5f) / width, ty = (row + 0.5f) / height;
    float cx = -2.0f * (1 - tx) + 0.5f * tx, cy = -1.25f * (1 - ty) + 1.25f * ty;
    float x = 0, y = 0;
    uint i = 0;
    for (; i < limit && !(x * x + y * y > 4); i++) {
        float next = (x * x - y * y) + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    steps[row * width + column] = i;
}

kernel void matmul(uint n, global const float* a, global const float* b, global float* c) {
    local float a_tile[16][16], b_tile[16][16];
    uint column = get_global_id(0), row = get_global_id(1), x = get_local_id(0), y = get_local_id(1);
    float sum = 0;
    for (uint first = 0; first < n; first += 16) {
        a_tile[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        b_tile[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; k++) sum += a_tile[y][k] * b_tile[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

kernel void stencil(uint width, uint height, global const float* before, global float* after) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
    uint i = y * width + x;
    after[i] = 0.2f * (before[i] + before[i - 1] + before[i + 1] + before[i - width] + before[i + width]);
}

kernel void histogram(uint words, global const uint* data, global uint* counts) {
    local uint local_counts[256];
    uint lane = get_local_id(0);
    local_counts[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < words; i += get_global_size(0))
        for (uint byte = 0; byte < 4; byte++) atomic_inc(&local_counts[(data[i] >> (8 * byte)) & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_counts[lane] != 0) atomic_add(&counts[lane], local_counts[lane]);
}

typedef struct {
    float position[3], mass, velocity[3], unused;
} Body;

kernel void nbody(uint n, float time_step, float softening, global const Body* before, global Body* after) {
    uint i = get_global_id(0);
    if (i >= n) return;
    Body body = before[i];
    float ax = 0, ay = 0, az = 0;
    for (uint k = 0; k < n; k++) {
        if (k == i) continue;
        float dx = before[k].position[0] - body.position[0], dy = before[k].position[1] - body.position[1],
              dz = before[k].position[2] - body.position[2];
        float squared = dx * dx + dy * dy + dz * dz + softening * softening;
        float pull = before[k].mass / (squared * sqrt(squared));
        ax += dx * pull, ay += dy * pull, az += dz * pull;
    }
    body.velocity[0] += ax * time_step, body.velocity[1] += ay * time_step, body.velocity[2] += az * time_step;
    for (int axis = 0; axis < 3; axis++) body.position[axis] += body.velocity[axis] * time_step;
    after[i] = body;
}

kernel void softmax(uint columns, global const float* before, global float* after) {
    local float partial[256];
    size_t row = get_group_id(0) * (size_t)columns;
    uint lane = get_local_id(0);
    float greatest = before[row];
    for (uint i = lane; i < columns; i += 256) greatest = fmax(greatest, before[row + i]);
    partial[lane] = greatest;
    for (uint stride = 128; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < stride) partial[lane] = fmax(partial[lane], partial[lane + stride]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    greatest = partial[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (uint i = lane; i < columns; i += 256) sum += after[row + i] = exp(before[row + i] - greatest);
    partial[lane] = sum;
    for (uint stride = 128; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < stride) partial[lane] += partial[lane + stride];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float scale = 1 / partial[0];
    for (uint i = lane; i < columns; i += 256) after[row + i] *= scale;
}

float normal(float d) {
    float k = 1 / (1 + 0.2316419f * fabs(d));
    float series =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * series;
    return d > 0 ? 1 - tail : tail;
}

kernel void black_scholes(uint n, global const float* price, global const float* strike, global const float* years,
                          global float* call, global float* put) {
    const float rate = 0.02f, volatility = 0.30f;
    size_t i = get_global_id(0);
    if (i >= n) return;
    float spread = volatility * sqrt(years[i]);
    float d1 = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
    float discounted = strike[i] * exp(-rate * years[i]);
    float n1 = normal(d1), n2 = normal(d1 - spread);
    call[i] = price[i] * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - price[i] * (1 - n1);
}
