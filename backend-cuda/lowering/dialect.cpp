#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-cuda/lowering/dialect.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/version.hpp>
#include <muster/foundation/ir/op_kind.hpp>

namespace muster::cuda {
namespace {

// Size of a CUDA module's constant memory.
constexpr std::uint64_t most_constant_bytes = 64 * 1024;

// clang-format off
constexpr std::string_view reserved_words[] = {
    "cuda", "nvcuda",
    // CUDA's variables
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3",
    // CUDA's functions that the text calls
    "__ballot_sync", "__shfl_sync", "__activemask",
    "atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor", "atomicExch", "atomicCAS",
    // muster's own
    "uniform", "workgroup_memory", "grid_barrier_state", "grid_barrier", "leave_grid", "arrive"};

// CUDA's names for double; the float versions end in `f`.
constexpr std::string_view mathematics[] = {
    "cospi", "cyl_bessel_i0", "cyl_bessel_i1", "erfcinv", "erfcx", "erfinv", "fdivide", "norm", "norm3d", "norm4d", "normcdf",
    "normcdfinv", "rcbrt", "rhypot", "rnorm", "rnorm3d", "rnorm4d", "rsqrt", "saturate", "sincospi", "sinpi"};
constexpr std::string_view library[] = {
    "clock64", "umin", "umax", "llmin", "llmax", "ullmin", "ullmax", "mulhi", "umulhi", "mul24", "umul24", "trap", "brkpt",
    "texture", "surface"};
// clang-format on

template <std::size_t N>
bool is_in(const std::string_view (&names)[N], std::string_view name) {
    return std::ranges::find(names, name) != std::end(names);
}

// Most atomic functions have WGSL's names.
std::string_view function(Op op) {
    if (op == Op::atomic_exchange) return "atomicExch";
    return op == Op::atomic_compare_exchange ? "atomicCAS" : spelling_of(op);
}

}  // namespace

bool CudaDialect::is_reserved(std::string_view name) const { return is_in(reserved_words, name); }

bool CudaDialect::is_reserved_globally(std::string_view name) const {
    const std::string_view without_f = name.ends_with('f') ? name.substr(0, name.size() - 1) : name;
    return is_in(mathematics, name) || is_in(mathematics, without_f) || is_in(library, name) ||
           name.starts_with("cuda");
}

// In constant memory while it has room, then in global memory.
std::string_view CudaDialect::table_qualifier(std::uint64_t bytes) {
    const std::uint64_t end = round_up(constant_bytes_, 16) + bytes;
    if (end > most_constant_bytes) return "__device__ const";
    constant_bytes_ = end;
    return "__constant__ const";
}

c_text::Expression CudaDialect::id(Builtin which, char axis) {
    if (which == Builtin::local_invocation_id) return {fmt::format("threadIdx.{}", axis)};
    if (which == Builtin::num_workgroups) return {fmt::format("gridDim.{}", axis)};
    if (origin_.empty()) return {fmt::format("blockIdx.{}", axis)};
    return {fmt::format("{0}.{1} + blockIdx.{1}", origin_, axis), c_text::Precedence::sum};
}

std::string CudaDialect::whole_id(Builtin which) {
    if (which == Builtin::local_invocation_id) return "threadIdx";
    if (which == Builtin::num_workgroups) return grid_;
    return origin_.empty() ? "blockIdx" : "";
}

// Relaxed in CUDA, as in WGSL. There is no atomicSub of floats and of 64 bits, and of i64 there is only the
// minimum and the maximum.
std::string CudaDialect::atomic(c_text::Kernel& kernel, const c_text::AtomicCall& call) {
    const bool is_extreme = call.op == Op::atomic_min || call.op == Op::atomic_max;
    const bool is_access = call.op == Op::atomic_load || call.op == Op::atomic_store;
    if (call.scalar == Scalar::i64 && !is_extreme && !is_access) {
        std::vector<std::string> operands;
        for (const std::string& operand : call.operands)
            operands.push_back(fmt::format("u64_t({})", operand));
        const std::string address =
            fmt::format("reinterpret_cast<{}*>({})", kernel.call("u64_t"), call.address);
        return fmt::format("i64_t({})",
                           atomic(kernel, {call.op, Scalar::u64, call.space, address, operands}));
    }
    if (call.op == Op::atomic_sub && (call.scalar == Scalar::f32 || is_wide(call.scalar)))
        return fmt::format("atomicAdd({}, -({}))", call.address, call.operands[0]);
    std::string called(function(call.op));
    const std::string_view scalar = info(call.scalar).name;
    if (call.op == Op::atomic_load) called = kernel.call(fmt::format("load_atomic_{}", scalar));
    if (call.op == Op::atomic_store) called = kernel.call(fmt::format("store_atomic_{}", scalar));
    std::string arguments = call.address;
    for (const std::string& operand : call.operands) arguments += ", " + operand;
    return fmt::format("{}({})", called, arguments);
}

// All threads of a warp take part where control flow is uniform over the subgroup, and CUDA waits for each
// that the mask names. Elsewhere they are those that the device has together there, which is its own choice.
std::string CudaDialect::subgroup(c_text::Kernel&, const c_text::SubgroupCall& call) {
    const std::string mask = call.may_diverge ? "__activemask()" : warp_.empty() ? "~0u" : warp_;
    if (call.op == Op::subgroup_ballot)
        return fmt::format("make_uint4(__ballot_sync({}, {}), 0u, 0u, 0u)", mask, call.value);
    return fmt::format("__shfl_sync({}, {}, {})", mask, call.value, call.lane);
}

std::string CudaDialect::head(const c_text::Kernel&) {
    const bool exact = target_.options.precision == Precision::exact;
    const Extent3 size = program_.workgroup_size();
    std::string text = fmt::format("// {} by muster {}: blocks of {} x {} x {} threads", program_.entry(),
                                   MUSTER_VERSION, size.x, size.y, size.z);
    text += result_.dynamic_shared_bytes == 0
                ? ".\n"
                : fmt::format(", with {} bytes of dynamic shared memory.\n", result_.dynamic_shared_bytes);
    text += exact ? "// Exact, if compiled with -fmad=false -prec-div=true -prec-sqrt=true -ftz=false.\n"
                  : "// Fast: to be compiled with --use_fast_math.\n";
    if (!barrier_state_.empty())
        text += fmt::format(
            "// To be launched cooperatively, with no more blocks than the device can run at the same time.\n"
            "// {} points to memory that is zero before the first launch; each launch leaves it ready for "
            "the next.\n",
            barrier_state_);
    if (target_.options.unchecked) text += "// Unchecked: accesses out of bounds are not prevented.\n";
    return text + "\n";
}

std::string CudaDialect::signature(const c_text::Kernel&, const std::string& entry) {
    std::string parameters = fmt::format("{}", fmt::join(parameters_, ", "));
    if (parameters.size() > 90) parameters = fmt::format("\n    {}", fmt::join(parameters_, ",\n    "));
    return fmt::format("extern \"C\" __global__ void __launch_bounds__({})\n{}({}) {{\n",
                       program_.workgroup_size().count(), entry, parameters);
}

}  // namespace muster::cuda
