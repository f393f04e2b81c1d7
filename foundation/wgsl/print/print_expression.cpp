// Values: names of placed nodes, constants, references, and the text of each operation.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/semantics/fold.hpp>
#include <muster/foundation/wgsl/print/print_state.hpp>

namespace muster::wgsl {
namespace {

constexpr std::string_view components = "xyzw";

bool is_shift(Op op) { return op == Op::shift_left || op == Op::shift_right; }
bool is_division(Op op) { return op == Op::div || op == Op::rem; }

}  // namespace

std::string Printer::value(NodeId id) {
    const Node& node = program_.node(id);
    if (node.op == Op::builtin) return builtin_names_[node.payload];
    if (!value_names_[id.index].empty()) return value_names_[id.index];
    return node.op == Op::constant ? constant(id) : reference(id);
}

std::string Printer::constant(NodeId id) {
    return types_.constant(program_.type(id), program_.constant_words(id),
                           [this](Scalar scalar, std::uint64_t word) { return component(scalar, word); });
}

// Bits of a non-finite float go through a `let`, since no const-expression can be NaN or infinite.
std::string Printer::component(Scalar scalar, std::uint64_t word) {
    if (is_finite_word(scalar, word) || indent_ == 0) return scalar_constant(scalar, word, word_);
    const bool is_double = scalar == Scalar::f64;
    const std::string bits =
        at_run_time(is_double ? fmt::format("vec2(0x{:08x}u, 0x{:08x}u)", word & 0xffffffff, word >> 32)
                              : fmt::format("0x{:08x}u", word));
    if (is_double) return fmt::format("{}<{}>({})", word_("bitcast"), word_("f64"), bits);
    if (scalar == Scalar::f32) return fmt::format("{}<{}>({})", word_("bitcast"), word_("f32"), bits);
    return fmt::format("{}<{}<{}>>({}).x", word_("bitcast"), word_("vec2"), word_("f16"), bits);
}

std::string Printer::at_run_time(const std::string& constant) {
    std::string name = names_.numbered_name("k");
    line(fmt::format("let {} = {};", name, constant));
    return name;
}

std::vector<std::uint32_t> Printer::words(NodeId id) const {
    const std::span<const std::uint32_t> stored = program_.constant_words(id);
    if (!stored.empty()) return {stored.begin(), stored.end()};
    return std::vector<std::uint32_t>(program_.types().scalar_words(program_.type(id)));
}

// True if WGSL would fold this operation at compile time, or refuse its constant, while
// the program computes it.
bool Printer::must_hide(NodeId id, std::uint32_t operand) const {
    const std::span<const NodeId> operands = program_.operands(id);
    if (!is_constant(operands[operand])) return false;
    if (info(program_.node(id).op).group == OpGroup::subgroup)
        return operand == 1 && words(operands[1])[0] >= limits::most_subgroup;
    if (std::ranges::all_of(operands, [this](NodeId each) { return is_constant(each); })) return true;
    const Op op = program_.node(id).op;
    if (op == Op::extract_dynamic) return operand == 1;
    if (operand != 1 || (!is_shift(op) && !is_division(op))) return false;
    return std::ranges::any_of(words(operands[1]),
                               [op](std::uint32_t word) { return is_shift(op) ? word >= 32 : word == 0; });
}

// Returns `[index]`. Constant indices read back as u32 and must be in range in WGSL;
// the program's needn't be.
std::string Printer::index(NodeId composite, NodeId index) {
    const Type& type = program_.types()[program_.type(composite)];
    std::string text = value(index);
    if (is_constant(index)) {
        const std::uint32_t count = type.kind == TypeKind::vector ? type.width : type.count;
        const bool in_range = count == 0 || words(index)[0] < count;
        if (program_.type(index) != u32_type || !in_range) text = at_run_time(text);
    }
    return fmt::format("[{}]", text);
}

std::string Printer::reference(NodeId id) {
    const Node& node = program_.node(id);
    if (node.op == Op::ref_variable) return variable_names_[node.payload];
    const NodeId base = program_.operand(id, 0);
    const std::string path = reference(base);
    if (node.op == Op::ref_index) return path + index(base, program_.operand(id, 1));
    return fmt::format("{}.{}", path, types_.member(program_.type(base), node.payload));
}

std::string Printer::call(std::string_view function, std::span<const std::string> arguments) const {
    return fmt::format("{}({})", word_(function), fmt::join(arguments, ", "));
}

std::string Printer::extract(NodeId id) {
    const NodeId from = program_.operand(id, 0);
    const Type& type = program_.types()[program_.type(from)];
    const std::uint32_t which = program_.node(id).payload;
    const std::string text = must_hide(id, 0) ? at_run_time(value(from)) : value(from);
    if (type.kind == TypeKind::structure)
        return fmt::format("{}.{}", text, types_.member(program_.type(from), which));
    if (type.kind == TypeKind::vector) return fmt::format("{}.{}", text, components[which]);
    return fmt::format("{}[{}u]", text, which);
}

std::string Printer::atomic(NodeId id) {
    std::vector<std::string> arguments;
    for (const NodeId each : program_.operands(id))
        arguments.push_back(arguments.empty() ? "&" + reference(each) : value(each));
    const Op op = program_.node(id).op;
    const std::string text = call(spelling_of(op), arguments);
    return op == Op::atomic_compare_exchange ? text + ".old_value" : text;
}

// Returns the text of a placed node that yields a value.
std::string Printer::expression(NodeId id) {
    const Op op = program_.node(id).op;
    if (op == Op::load) return reference(program_.operand(id, 0));
    if (op == Op::array_length || info(op).group == OpGroup::atomic) return atomic(id);
    if (op == Op::extract) return extract(id);
    if (is_grid_barrier(program_, id)) return call("gridBarrier", {});
    if (is_grid_uniform_load(program_, id))
        return call("gridUniformLoad", std::array{"&" + reference(program_.operand(id, 0))});
    return operation(id);
}

std::string Printer::operation(NodeId id) {
    const Node& node = program_.node(id);
    std::vector<std::string> operands;
    for (std::uint32_t i = 0; i < node.operand_count; ++i) {
        const std::string text = value(program_.operand(id, i));
        operands.push_back(must_hide(id, i) ? at_run_time(text) : text);
    }
    const std::string_view written = spelling_of(node.op);
    if (is_function(node.op)) return call(written, operands);
    if (is_operator(node.op))
        return operands.size() == 2 ? fmt::format("{} {} {}", operands[0], written, operands[1])
                                    : fmt::format("{}{}", written, operands[0]);
    if (node.op == Op::extension) return call(valid_name(program_.extensions()[node.payload]), operands);
    if (node.op == Op::bitcast)
        return call(fmt::format("{}<{}>", word_("bitcast"), types_.name(node.type)), operands);
    if (node.op == Op::extract_dynamic) return fmt::format("{}[{}]", operands[0], operands[1]);
    if (node.op == Op::swizzle) {
        std::string text = operands[0] + ".";
        for (std::uint32_t i = 0; i < program_.types()[node.type].width; ++i)
            text += components[(node.payload >> (2 * i)) & 3u];
        return text;
    }
    return call(types_.name(node.type), operands);  // compose, splat, convert
}

}  // namespace muster::wgsl
