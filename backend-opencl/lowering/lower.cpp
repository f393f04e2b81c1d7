#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-opencl/lowering/lower.hpp>

namespace muster::opencl {
namespace {

// clang-format off
constexpr c_text::Function functions_of_opencl[] = {
    {"inverse_sqrt_f32", "rsqrt"}, {"min_i32", "min"}, {"max_i32", "max"}, {"min_u32", "min"}, {"max_u32", "max"},
    {"f32_as_i32", "as_int"}, {"f32_as_u32", "as_uint"}, {"i32_as_f32", "as_float"}, {"u32_as_f32", "as_float"},
    {"ones_i32", "popcount"}, {"ones_u32", "popcount"}, {"leading_zeros_i32", "clz"}, {"leading_zeros_u32", "clz"},
    {"min_i64", "min"}, {"max_i64", "max"}, {"min_u64", "min"}, {"max_u64", "max"},
    {"f64_as_i64", "as_long"}, {"f64_as_u64", "as_ulong"}, {"i64_as_f64", "as_double"}, {"u64_as_f64", "as_double"},
    {"ones_i64", "popcount"}, {"ones_u64", "popcount"}, {"leading_zeros_i64", "clz"}, {"leading_zeros_u64", "clz"},
    {"i64_t", "", "typedef long i64_t;\n"}, {"u64_t", "", "typedef ulong u64_t;\n"}};

// Keywords, types and macros that C doesn't have; beginnings of others.
constexpr std::string_view words[] = {
    "barrier", "complex", "constant", "generic", "global", "half", "imaginary", "kernel", "local", "pipe", "quad", "read_only",
    "read_write", "uchar", "uint", "ulong", "uniform", "ushort", "vec_step", "write_only"};
constexpr std::string_view vectors[] = {
    "bool", "char", "double", "float", "half", "int", "long", "quad", "short", "uchar", "uint", "ulong", "ushort"};
constexpr std::string_view widths[] = {"2", "3", "4", "8", "16"};
constexpr std::string_view prefixes[] = {
    "as_", "async_", "atom_", "atomic_", "CL_", "CLK_", "convert_", "cl_", "enqueue_", "fast_", "get_", "half_", "intel_",
    "native_", "read_", "sub_group_", "vload", "vstore", "wait_group_", "work_group_", "write_"};

// Functions that C doesn't have: a variable may hide them, but no kernel or structure can have their names.
constexpr std::string_view globals[] = {
    "abs_diff", "acospi", "add_sat", "asinpi", "atan2pi", "atanpi", "bitselect", "clamp", "clz", "cospi", "cross", "ctz",
    "degrees", "distance", "dot", "fract", "hadd", "isequal", "isnotequal", "isordered", "isunordered", "length", "mad",
    "mad24", "mad_hi", "mad_sat", "max", "maxmag", "mem_fence", "min", "minmag", "mix", "mul24", "mul_hi", "normalize",
    "popcount", "pown", "powr", "prefetch", "radians", "rhadd", "rootn", "rotate", "rsqrt", "shuffle", "shuffle2", "sign",
    "sinpi", "smoothstep", "step", "sub_sat", "tanpi", "upsample"};
// clang-format on

template <std::size_t N>
bool is_in(const std::string_view (&names)[N], std::string_view name) {
    return std::ranges::find(names, name) != std::end(names);
}

bool is_vector(std::string_view name) {
    return std::ranges::any_of(vectors, [&](std::string_view vector) {
        return name.starts_with(vector) && is_in(widths, name.substr(vector.size()));
    });
}

class OpenClDialect final : public c_text::Dialect {
  public:
    OpenClDialect(const Program& program, const LowerTarget& target)
        : target_(target), size_(program.workgroup_size()) {}

    c_text::Language language() const override { return c_text::Language::opencl_c; }
    std::span<const c_text::Function> functions() const override { return functions_of_opencl; }
    bool is_reserved(std::string_view name) const override {
        return is_in(words, name) || is_vector(name) || name.ends_with("_t") ||
               std::ranges::any_of(prefixes,
                                   [&](std::string_view prefix) { return name.starts_with(prefix); });
    }
    bool is_reserved_globally(std::string_view name) const override { return is_in(globals, name); }
    std::string_view qualifier(AddressSpace space) const override {
        return space == AddressSpace::workgroup ? "__local" : "__global";
    }
    std::string_view table_qualifier(std::uint64_t) override { return "__constant"; }

    c_text::Expression id(Builtin which, char axis) override {
        const auto call = [&](std::string_view function) -> c_text::Expression {
            return {fmt::format("(uint){}({})", function, axis - 'x'), c_text::Precedence::prefix};
        };
        if (which == Builtin::local_invocation_id)
            return target_.options.subgroup_size != 0 ? id_in_line(axis) : call("get_local_id");
        if (which == Builtin::num_workgroups)
            return target_.dispatched ? c_text::Expression{fmt::format("{}.{}", grid_, axis)}
                                      : call("get_num_groups");
        const c_text::Expression group = call("get_group_id");
        if (!target_.dispatched) return group;
        return {fmt::format("{}.{} + {}", origin_, axis, group.text), c_text::Precedence::sum};
    }
    std::string barrier(Op) override { return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"; }
    // Reads and writes of 4 aligned bytes are atomic; of 8, only operations are.
    std::string atomic(c_text::Kernel& kernel, const c_text::AtomicCall& call) override {
        const bool is_8_bytes = is_wide(call.scalar), stores = call.op == Op::atomic_store;
        const std::string address = fmt::format("(volatile {} {}*){}", qualifier(call.space),
                                                kernel.type_name(type_of(call.scalar)), call.address);
        if (call.op == Op::atomic_load)
            return is_8_bytes ? fmt::format("atom_add({}, 0)", address) : fmt::format("*({})", address);
        if (stores && !is_8_bytes) return fmt::format("*({}) = {}", address, call.operands[0]);
        const std::string_view name = stores || call.op == Op::atomic_exchange ? "xchg"
                                      : call.op == Op::atomic_compare_exchange ? "cmpxchg"
                                                                               : info(call.op).name.substr(7);
        return fmt::format("{}_{}({}, {})", is_8_bytes ? "atom" : "atomic", name, address,
                           fmt::join(call.operands, ", "));
    }

    std::string subgroup(c_text::Kernel& kernel, const c_text::SubgroupCall& call) override {
        if (call.op == Op::subgroup_shuffle) {
            const std::string lane = fmt::format("{} & {}u", call.lane, target_.options.subgroup_size - 1);
            if (call.scalar != Scalar::f16) return fmt::format("sub_group_shuffle({}, {})", call.value, lane);
            return fmt::format("({})sub_group_shuffle((uint){}, {})", kernel.type_name(f16_type), call.value,
                               lane);
        }
        const std::string bits = kernel.unique_name("ballot");
        kernel.line(fmt::format("const uint4 {} = sub_group_ballot({});", bits, call.value));
        return fmt::format("({0}){{{1}.x, {1}.y, {1}.z, {1}.w}}", kernel.type_name(type_of(Scalar::u32, 4)),
                           bits);
    }

    bool declare_binding(c_text::Kernel& kernel, const c_text::Binding& binding) override {
        const auto named = [&](const char* part) { return kernel.unique_name(binding.name + part); };
        const std::string memory = named("_memory"), offset = named("_offset"), bytes = named("_bytes");
        const std::string_view is_const = binding.is_const ? "const " : "";
        parameters_.push_back(
            fmt::format("__global {}uchar* {}, ulong {}, ulong {}", is_const, memory, offset, bytes));
        const std::string pointer = fmt::format("__global {}{}*", is_const, binding.type);
        kernel.line(fmt::format("{}{} {} = ({})({} + {});", pointer, binding.is_restrict ? " restrict" : "",
                                binding.name, pointer, memory, offset));
        if (binding.length.empty()) return true;
        const Program& program = kernel.program();
        const RuntimeArray array = runtime_array(program.types(), program.variable(binding.variable).type);
        const std::string all = array.offset == 0 ? bytes : fmt::format("({} - {})", bytes, array.offset);
        kernel.line(
            fmt::format("const unsigned {} = (unsigned)({} / {}u);", binding.length, all, array.stride));
        return true;
    }
    void declare_parameters(c_text::Kernel& kernel) override {
        if (!target_.dispatched) return;
        origin_ = kernel.unique_name("origin");
        grid_ = kernel.unique_name("grid");
        parameters_.push_back(fmt::format("uint4 {}, uint4 {}", origin_, grid_));
    }
    std::string head(const c_text::Kernel& kernel) override {
        const bool has_subgroups = target_.options.subgroup_size != 0;
        std::string text = fmt::format("// {} by muster {}, OpenCL C {}.\n", kernel.program().entry(),
                                       MUSTER_VERSION, has_subgroups ? "3.0" : "1.2");
        if (target_.options.unchecked) text += "// Unchecked: accesses out of bounds are not prevented.\n";
        if (kernel.program().needs().wide_atomics)
            text +=
                "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
        if (has_subgroups)
            text +=
                "#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable\n"
                "#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable\n";
        return text +
               (target_.options.precision == Precision::exact ? "#pragma OPENCL FP_CONTRACT OFF\n\n" : "\n");
    }
    std::string signature(const c_text::Kernel& kernel, const std::string& entry) override {
        const Extent3 size = launched_size(kernel.program().workgroup_size(), target_.options);
        std::string text = fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {})))\n", size.x,
                                       size.y, size.z);
        if (target_.options.subgroup_size != 0)
            text += fmt::format("__attribute__((intel_reqd_sub_group_size({})))\n",
                                target_.options.subgroup_size);
        return text + fmt::format("void {}(\n    {}) {{\n", entry, fmt::join(parameters_, ",\n    "));
    }

  private:
    /// A component of local_invocation_id where the workgroup is launched as a line.
    c_text::Expression id_in_line(char axis) const {
        const std::uint64_t before = (axis == 'x' ? 1 : size_.x) * std::uint64_t{axis == 'z' ? size_.y : 1};
        const std::uint32_t here = axis == 'x' ? size_.x : axis == 'y' ? size_.y : size_.z;
        if (here == 1) return {"0u"};
        std::string text = "(uint)get_local_id(0)";
        if (before != 1) text += fmt::format(" / {}u", before);
        if (before * here != size_.count()) text += fmt::format(" % {}u", here);
        return {std::move(text), c_text::Precedence::product};
    }

    const LowerTarget& target_;
    Extent3 size_;
    std::vector<std::string> parameters_;
    std::string origin_, grid_;  // of a kernel to be dispatched
};

}  // namespace

const OpSet& supported_ops() {
    static const OpSet all = [] {
        OpSet ops = OpSet(OpSet::all_core()).insert(Op::subgroup_ballot).insert(Op::subgroup_shuffle);
        ops.wide_atomics = true;
        return ops;
    }();
    return all;
}

Extent3 launched_size(const Extent3& workgroup_size, const CompileOptions& options) {
    if (options.subgroup_size == 0) return workgroup_size;
    return {static_cast<std::uint32_t>(workgroup_size.count()), 1, 1};
}

c_text::Text lower(const ValidProgram& program, const LowerTarget& target) {
    OpenClDialect dialect(*program, target);
    return c_text::lower(program, dialect, {.options = target.options});
}

}  // namespace muster::opencl
