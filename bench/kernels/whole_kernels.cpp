// The list of kernels. Each function stands in the source of its name.
#include <algorithm>

#include <muster/bench/kernels/whole_kernel.hpp>

namespace muster::kernels {

Job black_scholes(Size), copy(Size), copy_vec4(Size), exchange(Size), fft(Size), flash_attention(Size),
    histogram(Size), kmeans(Size), launch(Size), layernorm(Size), lu(Size), mandelbrot(Size),
    marching_squares(Size), matmul(Size), matmul_f16(Size), matvec_q4(Size), matvec_q8(Size),
    multiply_add(Size), nbody(Size), path_tracer(Size), radix_sort(Size), read(Size), read_vec4(Size),
    reduce(Size), rotary(Size), saxpy(Size), scan(Size), sha256(Size), softmax(Size), spmv(Size),
    stencil(Size), transpose(Size), update(Size);

namespace {

constexpr WholeKernel all[]{
    {"black_scholes", "bench/kernels/black_scholes.wgsl", black_scholes},
    {"copy", "bench/kernels/roof.wgsl", copy},
    {"copy_vec4", "bench/kernels/roof.wgsl", copy_vec4},
    {"exchange", "bench/kernels/roof.wgsl", exchange},
    {"fft", "bench/kernels/fft.wgsl", fft},
    {"flash_attention", "bench/kernels/flash_attention.wgsl", flash_attention},
    {"histogram", "examples/kernels/histogram.wgsl", histogram},
    {"kmeans", "bench/kernels/kmeans.wgsl", kmeans},
    {"launch", "bench/kernels/roof.wgsl", launch},
    {"layernorm", "bench/kernels/layernorm.wgsl", layernorm},
    {"lu", "bench/kernels/lu.wgsl", lu},
    {"mandelbrot", "examples/kernels/mandelbrot.wgsl", mandelbrot},
    {"marching_squares", "bench/kernels/marching_squares.wgsl", marching_squares},
    {"matmul", "examples/kernels/matmul_tiled.wgsl", matmul},
    {"matmul_f16", "bench/kernels/matmul_f16.wgsl", matmul_f16},
    {"matvec_q4", "bench/kernels/matvec_q4.wgsl", matvec_q4},
    {"matvec_q8", "bench/kernels/matvec_q8.wgsl", matvec_q8},
    {"multiply_add", "bench/kernels/roof.wgsl", multiply_add},
    {"nbody", "examples/kernels/nbody.wgsl", nbody},
    {"path_tracer", "bench/kernels/path_tracer.wgsl", path_tracer},
    {"radix_sort", "bench/kernels/radix_sort.wgsl", radix_sort},
    {"read", "bench/kernels/roof.wgsl", read},
    {"read_vec4", "bench/kernels/roof.wgsl", read_vec4},
    {"reduce", "examples/kernels/reduce.wgsl", reduce},
    {"rotary", "bench/kernels/rotary.wgsl", rotary},
    {"saxpy", "examples/saxpy/saxpy.wgsl", saxpy},
    {"scan", "bench/kernels/scan.wgsl", scan},
    {"sha256", "bench/kernels/sha256.wgsl", sha256},
    {"softmax", "bench/kernels/softmax.wgsl", softmax},
    {"spmv", "bench/kernels/spmv.wgsl", spmv},
    {"stencil", "bench/kernels/stencil.wgsl", stencil},
    {"transpose", "bench/kernels/transpose.wgsl", transpose},
    {"update", "bench/kernels/roof.wgsl", update},
};

}  // namespace

std::span<const WholeKernel> whole_kernels() { return all; }

const WholeKernel& whole_kernel(std::string_view name) {
    return *std::ranges::find(all, name, &WholeKernel::name);
}

}  // namespace muster::kernels
