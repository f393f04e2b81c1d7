#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/c_table/properties.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c_table {
namespace {

using Filling = Filled<muster_backend_device>;
constexpr std::uint32_t most_targets = 64;

struct Form {
    std::uint32_t bit;
    std::string_view name;
};
constexpr std::array forms_by_preference{Form{MUSTER_BACKEND_GNU99, "gnu99"}, Form{MUSTER_BACKEND_CXX, "c++"},
                                         Form{MUSTER_BACKEND_WGSL, "wgsl"}};

bool is_c(std::uint32_t form) { return form != MUSTER_BACKEND_WGSL; }

std::uint32_t preferred(std::uint32_t forms) {
    for (const Form& form : forms_by_preference)
        if ((forms & form.bit) != 0) return form.bit;
    return 0;
}

struct TypeBit {
    std::uint32_t bit;
    Scalar scalar;
};
constexpr std::array type_bits{
    TypeBit{MUSTER_BACKEND_F16, Scalar::f16}, TypeBit{MUSTER_BACKEND_I8, Scalar::i8},
    TypeBit{MUSTER_BACKEND_U8, Scalar::u8},   TypeBit{MUSTER_BACKEND_I16, Scalar::i16},
    TypeBit{MUSTER_BACKEND_U16, Scalar::u16}, TypeBit{MUSTER_BACKEND_I64, Scalar::i64},
    TypeBit{MUSTER_BACKEND_U64, Scalar::u64}, TypeBit{MUSTER_BACKEND_F64, Scalar::f64}};

/// What a description has unless the backend changes it.
void fill(muster_backend_device& to, std::string_view id, std::uint32_t form) {
    to.form = form;
    write_text(to.name, id);
    write_text(to.arch, form_name(form) == "c++" ? "cxx" : form_name(form));
    to.flags = is_c(form) ? std::uint32_t{MUSTER_BACKEND_WIDE_ATOMICS} : 0u;
    to.promises = is_c(form) ? 63 : 0;
    to.types = is_c(form) ? 255 : 0;
    for (int axis = 0; axis < 3; ++axis) {
        to.max_workgroup_size[axis] = 1024;
        to.max_workgroups[axis] = 65535;
    }
    to.max_workgroup_invocations = 1024;
    to.max_storage_bindings = to.max_uniform_bindings = 1024;
    to.max_workgroup_bytes = to.max_uniform_binding_bytes = to.max_private_bytes = 1 << 16;
    to.max_storage_binding_bytes = (std::uint64_t{8} << 30) - 4;
}

std::unexpected<Error> wrong_device(std::string_view id, std::string_view what) {
    return fail(ErrorCode::invalid_argument, fmt::format("{} describes a device {}.", id, what),
                "change what differs from the values that the driver has filled in, and nothing else");
}

DeviceKind kind_of(std::uint32_t kind) {
    switch (kind) {
        case MUSTER_BACKEND_KIND_CPU: return DeviceKind::cpu;
        case MUSTER_BACKEND_KIND_INTEGRATED_GPU: return DeviceKind::integrated_gpu;
        case MUSTER_BACKEND_KIND_DISCRETE_GPU: return DeviceKind::discrete_gpu;
        case MUSTER_BACKEND_KIND_VIRTUAL_GPU: return DeviceKind::virtual_gpu;
        default: return DeviceKind::other;  // also of a later version's kinds
    }
}

Exactness exactness_of(const muster_backend_device& from) {
    const auto promise = [&](std::uint32_t bit) {
        return (from.promises & bit) != 0 ? Promise::promised : Promise::no;
    };
    Exactness made;
    made.round_to_nearest_even = promise(MUSTER_BACKEND_NEAREST_EVEN);
    made.signed_zero_inf_nan = promise(MUSTER_BACKEND_SPECIALS);
    made.subnormals = promise(MUSTER_BACKEND_SUBNORMALS);
    made.division = promise(MUSTER_BACKEND_DIVISION);
    made.square_root = promise(MUSTER_BACKEND_SQUARE_ROOT);
    made.fma = promise(MUSTER_BACKEND_FMA);
    if (is_c(from.form)) made.mathematics = Promise::promised;  // the text has muster's own functions
    return made;
}

Result<OpSet> ops_of(const muster_backend_device& from, std::string_view id) {
    OpSet ops = operations_of(from.form);
    ops.wide_atomics = (from.flags & MUSTER_BACKEND_WIDE_ATOMICS) != 0;
    const std::string lacks = text_of(from.lacks);
    for (std::string_view rest = lacks; !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        if (name.empty()) continue;
        const std::optional<Op> op = op_by_name(name);
        if (!op)
            return wrong_device(
                id, fmt::format("that lacks an operation \"{}\", which docs/ir.md doesn't have", name));
        ops.core.reset(static_cast<std::size_t>(*op));
    }
    return ops;
}

Result<void> check(const Table& table, std::string_view id, const muster_backend_device& from) {
    if (std::popcount(from.form) != 1 || (from.form & table.forms) == 0)
        return wrong_device(id, fmt::format("of the form {:#x}, which isn't one of its table's forms, {:#x}",
                                            from.form, table.forms));
    const std::string arch = text_of(from.arch);
    const auto is_of_arch = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '_' || c == '-';
    };
    if (arch.empty() || !std::ranges::all_of(arch, is_of_arch))
        return wrong_device(
            id, fmt::format("of the arch \"{}\", which isn't letters, digits, '.', '_' and '-'", arch));
    if (text_of(from.name).empty()) return wrong_device(id, "without a name");
    for (int axis = 0; axis < 3; ++axis)
        if (from.max_workgroup_size[axis] == 0 || from.max_workgroups[axis] == 0)
            return wrong_device(id,
                                fmt::format("whose limit of workgroups or their size is 0 on axis {}", axis));
    if (from.max_workgroup_invocations == 0) return wrong_device(id, "whose limit of invocations is 0");
    return {};
}

ScalarSet scalars_of(const muster_backend_device& from) {
    ScalarSet scalars = core_scalars;
    for (const TypeBit& type : type_bits)
        scalars.set(static_cast<std::size_t>(type.scalar), (from.types & type.bit) != 0);
    return scalars;
}

DeviceLimits limits_of(const muster_backend_device& from) {
    const auto extent = [](const std::uint32_t(&axes)[3]) { return Extent3{axes[0], axes[1], axes[2]}; };
    return {.max_workgroup_size = extent(from.max_workgroup_size),
            .max_workgroup_invocations = from.max_workgroup_invocations,
            .max_workgroup_bytes = from.max_workgroup_bytes,
            .max_workgroups = extent(from.max_workgroups),
            .max_storage_binding_bytes = from.max_storage_binding_bytes,
            .max_uniform_binding_bytes = from.max_uniform_binding_bytes,
            .max_storage_bindings = from.max_storage_bindings,
            .max_uniform_bindings = from.max_uniform_bindings,
            .max_private_bytes = from.max_private_bytes};
}

constexpr const char* no_subgroups = "backends in C have none";

Result<DescribedTarget> target_of(const Table& table, std::string_view id,
                                  const muster_backend_device& from) {
    TRY(check(table, id, from));
    Target target;
    target.backend = id;
    target.arch = text_of(from.arch);
    target.kind = kind_of(from.kind);
    target.limits = limits_of(from);
    target.ops = TRY(ops_of(from, id));
    target.scalars = scalars_of(from);
    target.exactness = exactness_of(from);
    target.no_subgroups = no_subgroups;
    return DescribedTarget{std::move(target), from.form};
}

}  // namespace

std::string_view form_name(std::uint32_t form) {
    const auto found = std::ranges::find(forms_by_preference, form, &Form::bit);
    return found == forms_by_preference.end() ? std::string_view() : found->name;
}

std::uint32_t form_of(std::string_view name) {
    const auto found = std::ranges::find(forms_by_preference, name, &Form::name);
    return found == forms_by_preference.end() ? 0 : found->bit;
}

std::vector<std::string> form_names(std::uint32_t forms) {
    std::vector<std::string> names;
    for (const Form& form : forms_by_preference)
        if ((forms & form.bit) != 0) names.emplace_back(form.name);
    return names;
}

const OpSet& operations_of(std::uint32_t forms) {
    static const OpSet none, core = [] {
        OpSet all = OpSet::all_core();
        all.wide_atomics = true;
        return all;
    }();
    return forms == 0 ? none : core;
}

Result<Described> device_of(const Table& table, std::string_view id, std::uint32_t ordinal) {
    Filling filling;
    muster_backend_device& from = filling.known;
    fill(from, id, preferred(table.forms));
    if (table.describe_device != nullptr)
        TRY(call("describe_device",
                 [&](muster_backend_error* error) { return table.describe_device(ordinal, &from, error); }));
    TRY(check(table, id, from));
    DeviceInfo info;
    info.ordinal = ordinal;
    info.name = text_of(from.name);
    info.arch = text_of(from.arch);
    info.kind = kind_of(from.kind);
    info.software_emulated = (from.flags & MUSTER_BACKEND_EMULATED) != 0;
    info.driver = text_of(from.driver);
    info.memory_bytes = from.memory_bytes;
    info.no_subgroups = no_subgroups;
    info.limits = limits_of(from);
    info.ops = TRY(ops_of(from, id));
    info.scalars = scalars_of(from);
    info.exactness = exactness_of(from);
    info.compiler = text_of(from.compiler);
    if (from.compute_units != 0) info.hardware.compute_units = from.compute_units;
    info.hardware.unified_memory = (from.flags & MUSTER_BACKEND_UNIFIED_MEMORY) != 0;
    return Described{std::move(info), from.form};
}

Result<std::vector<DescribedTarget>> targets_of(const Table& table, std::string_view id) {
    std::vector<DescribedTarget> targets;
    const auto add = [&](const muster_backend_device& from) -> Result<void> {
        auto made = TRY(target_of(table, id, from));
        const auto same = [&](const DescribedTarget& one) { return one.target.arch == made.target.arch; };
        if (std::ranges::any_of(targets, same))
            return wrong_device(id, fmt::format("of the arch \"{}\" twice as a target", made.target.arch));
        targets.push_back(std::move(made));
        return {};
    };
    if (table.describe_target == nullptr) {
        for (const std::string& name : form_names(table.forms)) {
            Filling filling;
            fill(filling.known, id, form_of(name));
            TRY(add(filling.known));
        }
        return targets;
    }
    for (std::uint32_t number = 0; number < most_targets; ++number) {
        Filling filling;
        fill(filling.known, id, preferred(table.forms));
        const auto status = TRY(call_for_status("describe_target", true, [&](muster_backend_error* error) {
            return table.describe_target(number, &filling.known, error);
        }));
        if (status == MUSTER_BACKEND_NONE) break;
        TRY(add(filling.known));
    }
    if (targets.empty()) return wrong_device(id, "nowhere: describe_target() has no target 0");
    return targets;
}

}  // namespace muster::c_table
