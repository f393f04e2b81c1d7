// The list of kernels. Each function stands in the source of its name.
#include "wgsl/whole_kernel.hpp"

namespace muster::kernels {

Job fft(Size), flash_attention(Size), kmeans(Size), layernorm(Size), lu(Size), marching_squares(Size),
    matmul(Size), matmul_f16(Size), matvec_q4(Size), matvec_q8(Size), path_tracer(Size), radix_sort(Size),
    rotary(Size), sha256(Size), softmax(Size), spmv(Size);

namespace {

constexpr WholeKernel all[]{
    {"fft", "tests/wgsl/fft.wgsl", fft},
    {"flash_attention", "tests/wgsl/flash_attention.wgsl", flash_attention},
    {"kmeans", "tests/wgsl/kmeans.wgsl", kmeans},
    {"layernorm", "tests/wgsl/layernorm.wgsl", layernorm},
    {"lu", "tests/wgsl/lu.wgsl", lu},
    {"marching_squares", "tests/wgsl/marching_squares.wgsl", marching_squares},
    {"matmul", "examples/kernels/matmul_tiled.wgsl", matmul},
    {"matmul_f16", "tests/wgsl/matmul_f16.wgsl", matmul_f16},
    {"matvec_q4", "tests/wgsl/matvec_q4.wgsl", matvec_q4},
    {"matvec_q8", "tests/wgsl/matvec_q8.wgsl", matvec_q8},
    {"path_tracer", "tests/wgsl/path_tracer.wgsl", path_tracer},
    {"radix_sort", "tests/wgsl/radix_sort.wgsl", radix_sort},
    {"rotary", "tests/wgsl/rotary.wgsl", rotary},
    {"sha256", "tests/wgsl/sha256.wgsl", sha256},
    {"softmax", "tests/wgsl/softmax.wgsl", softmax},
    {"spmv", "tests/wgsl/spmv.wgsl", spmv},
};

}  // namespace

std::span<const WholeKernel> whole_kernels() { return all; }

}  // namespace muster::kernels
