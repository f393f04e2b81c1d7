// The kernels of bench_cuda's table, written as a person would: the same algorithms and workgroups as the WGSL texts, with plain
// pointers and counts. Compiled four ways by nvcc: EXACT or not (the flags say so: -fmad=false), GUARDED or not.
// GUARDED: as in muster's language, a load out of bounds gives zero, and a store does nothing.
#include <cooperative_groups.h>

#ifdef GUARDED
#define LOAD(from, count, i) ((i) < (count) ? (from)[i] : 0)
#define STORE(to, count, i, what) \
    if ((i) < (count)) (to)[i] = (what)
#else
#define LOAD(from, count, i) (from)[i]
#define STORE(to, count, i, what) (to)[i] = (what)
#endif

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

KERNEL(1) empty(unsigned* __restrict__ data) {
    if (data[0] != 0) data[0] = 0;
}

// All steps in one cooperative launch, or one launch for each.
KERNEL(256) steps(unsigned* __restrict__ data, unsigned turns) {
    for (unsigned turn = 0; turn < turns; ++turn) {
        data[blockIdx.x * 256 + threadIdx.x] += turn;
        cooperative_groups::this_grid().sync();
    }
}
KERNEL(256) step(unsigned* __restrict__ data, unsigned turn) { data[blockIdx.x * 256 + threadIdx.x] += turn; }

// The grid has exactly as many threads as values in plain mode, and at least as many otherwise.
KERNEL(256) saxpy(float a, const float* __restrict__ x, float* __restrict__ y, unsigned count) {
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    STORE(y, count, i, a * LOAD(x, count, i) + LOAD(y, count, i));
}

// Sums 512 values per block.
KERNEL(256) reduce(const float* __restrict__ values, unsigned count, float* __restrict__ sums, unsigned blocks) {
    __shared__ float partial[256];
    const unsigned lane = threadIdx.x, first = 512 * blockIdx.x + lane;
    partial[lane] = (first < count ? values[first] : 0) + (first + 256 < count ? values[first + 256] : 0);
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (lane < stride) partial[lane] += partial[lane + stride];
    }
    if (lane == 0) {
        STORE(sums, blocks, blockIdx.x, partial[0]);
    }
}

// Prefix sums within blocks of 256, and each block's total.
KERNEL(256) scan(int* __restrict__ values, unsigned count, int* __restrict__ totals, unsigned blocks) {
    __shared__ int sums[256];
    const unsigned lane = threadIdx.x, i = 256 * blockIdx.x + lane;
    sums[lane] = i < count ? values[i] : 0;
    __syncthreads();
    for (unsigned distance = 1; distance < 256; distance <<= 1) {
        const int left = lane >= distance ? sums[lane - distance] : 0;
        __syncthreads();
        sums[lane] += left;
        __syncthreads();
    }
    if (i < count) values[i] = sums[lane];
    if (lane == 255) {
        STORE(totals, blocks, blockIdx.x, sums[255]);
    }
}

KERNEL(256) stencil(const float* __restrict__ before, float* __restrict__ after, unsigned width, unsigned height) {
    const unsigned x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
    const unsigned i = y * width + x;
    [[maybe_unused]] const unsigned count = width * height;
    const float sum = LOAD(before, count, i) + LOAD(before, count, i - 1) + LOAD(before, count, i + 1) +
                      LOAD(before, count, i - width) + LOAD(before, count, i + width);
    STORE(after, count, i, 0.2f * sum);
}

KERNEL(256) histogram(const unsigned* __restrict__ words, unsigned count, unsigned* __restrict__ counts) {
    __shared__ unsigned local_counts[256];
    const unsigned lane = threadIdx.x;
    local_counts[lane] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * 256 + lane; i < count; i += 256 * gridDim.x) {
        const unsigned word = words[i];
        for (unsigned byte = 0; byte < 4; byte++) atomicAdd(&local_counts[(word >> (8 * byte)) & 255], 1u);
    }
    __syncthreads();
    const unsigned seen = local_counts[lane];
    if (seen != 0) atomicAdd(&counts[lane], seen);
}

struct Body {
    float position[3], mass, velocity[3], rest;
};

KERNEL(64) nbody(float time_step, float softening, const Body* __restrict__ before, Body* __restrict__ after, unsigned count) {
    const unsigned id = blockIdx.x * 64 + threadIdx.x;
    if (id >= count) return;
    Body body = before[id];
    float pull[3] = {0, 0, 0};
    for (unsigned i = 0; i < count; i++) {
        if (i == id) continue;
        const float4 other = *reinterpret_cast<const float4*>(&before[i]);
        const float away[3] = {other.x - body.position[0], other.y - body.position[1], other.z - body.position[2]};
        const float squared = away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + softening * softening;
        const float strength = other.w / (squared * sqrtf(squared));
        for (int k = 0; k < 3; ++k) pull[k] += away[k] * strength;
    }
    for (int k = 0; k < 3; ++k) {
        body.velocity[k] += pull[k] * time_step;
        body.position[k] += body.velocity[k] * time_step;
    }
    after[id] = body;
}

KERNEL(256) mandelbrot(unsigned* __restrict__ steps, unsigned width, unsigned height, unsigned limit) {
    const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height) return;
    const float px = (static_cast<float>(x) + 0.5f) / static_cast<float>(width);
    const float py = (static_cast<float>(y) + 0.5f) / static_cast<float>(height);
    const float cx = -2.0f * (1 - px) + 0.5f * px, cy = -1.25f * (1 - py) + 1.25f * py;
    float zx = 0, zy = 0;
    unsigned i = 0;
    for (; i < limit && !(zx * zx + zy * zy > 4); i++) {
        const float next = zx * zx - zy * zy;
        zy = 2 * zx * zy + cy;
        zx = next + cx;
    }
    [[maybe_unused]] const unsigned count = width * height;
    STORE(steps, count, y * width + x, i);
}

// Uses a tile with rows of 33, so that the elements of a column are in different banks.
KERNEL(256) transpose(const float* __restrict__ before, float* __restrict__ after, unsigned side) {
    __shared__ float tile[32][33];
    [[maybe_unused]] const unsigned count = side * side;
    for (unsigned k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] =
            LOAD(before, count, (blockIdx.y * 32 + threadIdx.y + k) * side + blockIdx.x * 32 + threadIdx.x);
    __syncthreads();
    for (unsigned k = 0; k < 32; k += 8) {
        STORE(after, count, (blockIdx.x * 32 + threadIdx.y + k) * side + blockIdx.y * 32 + threadIdx.x,
              tile[threadIdx.x][threadIdx.y + k]);
    }
}

// One block per row.
KERNEL(256) softmax(const float* __restrict__ before, float* __restrict__ after, unsigned rows, unsigned columns) {
    __shared__ float partial[256];
    [[maybe_unused]] const unsigned count = rows * columns;
    const unsigned lane = threadIdx.x, row = blockIdx.x * columns;
    float greatest = LOAD(before, count, row);
    for (unsigned i = lane; i < columns; i += 256) greatest = fmaxf(greatest, LOAD(before, count, row + i));
    partial[lane] = greatest;
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (lane < stride) partial[lane] = fmaxf(partial[lane], partial[lane + stride]);
    }
    __syncthreads();
    greatest = partial[0];
    __syncthreads();

    float sum = 0;
    for (unsigned i = lane; i < columns; i += 256) {
        const float e = expf(LOAD(before, count, row + i) - greatest);
        STORE(after, count, row + i, e);
        sum += e;
    }
    partial[lane] = sum;
    for (unsigned stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        if (lane < stride) partial[lane] += partial[lane + stride];
    }
    __syncthreads();
    const float scale = 1 / partial[0];
    for (unsigned i = lane; i < columns; i += 256) {
        STORE(after, count, row + i, LOAD(after, count, row + i) * scale);
    }
}
