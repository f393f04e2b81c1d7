// The list of kernels. Each function stands in the source of its name.
#include <algorithm>

#include <muster/measuring/whole_kernels/whole_kernel.hpp>

namespace muster::kernels {

Job black_scholes(Size), copy(Size), copy_vec4(Size), exchange(Size), fft(Size), flash_attention(Size),
    histogram(Size), kmeans(Size), launch(Size), layernorm(Size), lu(Size), mandelbrot(Size),
    marching_squares(Size), matmul(Size), matmul_f16(Size), matvec_q4(Size), matvec_q8(Size),
    multiply_add(Size), nbody(Size), path_tracer(Size), radix_sort(Size), read(Size), read_vec4(Size),
    reduce(Size), rotary(Size), saxpy(Size), scan(Size), sha256(Size), softmax(Size), spmv(Size),
    stencil(Size), transpose(Size), update(Size);

namespace {

constexpr WholeKernel all[]{
    {"black_scholes", "measuring/whole_kernels/black_scholes.wgsl", black_scholes},
    {"copy", "measuring/whole_kernels/roof.wgsl", copy},
    {"copy_vec4", "measuring/whole_kernels/roof.wgsl", copy_vec4},
    {"exchange", "measuring/whole_kernels/roof.wgsl", exchange},
    {"fft", "measuring/whole_kernels/fft.wgsl", fft},
    {"flash_attention", "measuring/whole_kernels/flash_attention.wgsl", flash_attention},
    {"histogram", "examples/kernels/histogram.wgsl", histogram},
    {"kmeans", "measuring/whole_kernels/kmeans.wgsl", kmeans},
    {"launch", "measuring/whole_kernels/roof.wgsl", launch},
    {"layernorm", "measuring/whole_kernels/layernorm.wgsl", layernorm},
    {"lu", "measuring/whole_kernels/lu.wgsl", lu},
    {"mandelbrot", "examples/kernels/mandelbrot.wgsl", mandelbrot},
    {"marching_squares", "measuring/whole_kernels/marching_squares.wgsl", marching_squares},
    {"matmul", "examples/kernels/matmul_tiled.wgsl", matmul},
    {"matmul_f16", "measuring/whole_kernels/matmul_f16.wgsl", matmul_f16},
    {"matvec_q4", "measuring/whole_kernels/matvec_q4.wgsl", matvec_q4},
    {"matvec_q8", "measuring/whole_kernels/matvec_q8.wgsl", matvec_q8},
    {"multiply_add", "measuring/whole_kernels/roof.wgsl", multiply_add},
    {"nbody", "examples/kernels/nbody.wgsl", nbody},
    {"path_tracer", "measuring/whole_kernels/path_tracer.wgsl", path_tracer},
    {"radix_sort", "measuring/whole_kernels/radix_sort.wgsl", radix_sort},
    {"read", "measuring/whole_kernels/roof.wgsl", read},
    {"read_vec4", "measuring/whole_kernels/roof.wgsl", read_vec4},
    {"reduce", "examples/kernels/reduce.wgsl", reduce},
    {"rotary", "measuring/whole_kernels/rotary.wgsl", rotary},
    {"saxpy", "examples/saxpy/saxpy.wgsl", saxpy},
    {"scan", "measuring/whole_kernels/scan.wgsl", scan},
    {"sha256", "measuring/whole_kernels/sha256.wgsl", sha256},
    {"softmax", "measuring/whole_kernels/softmax.wgsl", softmax},
    {"spmv", "measuring/whole_kernels/spmv.wgsl", spmv},
    {"stencil", "measuring/whole_kernels/stencil.wgsl", stencil},
    {"transpose", "measuring/whole_kernels/transpose.wgsl", transpose},
    {"update", "measuring/whole_kernels/roof.wgsl", update},
};

}  // namespace

std::span<const WholeKernel> whole_kernels() { return all; }

const WholeKernel& whole_kernel(std::string_view name) {
    return *std::ranges::find(all, name, &WholeKernel::name);
}

}  // namespace muster::kernels
