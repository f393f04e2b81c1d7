#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/op_kind.hpp>
#include <muster/foundation/semantics/fold.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/print/print_state.hpp>

namespace muster::wgsl {
namespace {

// Words that the text may use with their predeclared meaning; generated names mustn't hide them.
constexpr std::array<std::string_view, 26> predeclared{
    "i64",     "u64",     "f64",     "i8",        "u8",       "i16",  "u16",        "bool",   "i32",
    "u32",     "f32",     "f16",     "vec2",      "vec3",     "vec4", "array",      "atomic", "read",
    "storage", "uniform", "private", "workgroup", "function", "ptr",  "read_write", "bitcast"};

bool is_composite(const Type& type) {
    return type.kind == TypeKind::array || type.kind == TypeKind::structure;
}

}  // namespace

// Reserves names that hosts rely on first, so that they don't change.
NameSet Printer::outer_names() {
    NameSet names;
    const auto keep = [&](std::string_view name) {
        names.reserve(valid_name(name));
        names.reserve(std::string(predeclared_prefix) + valid_name(name));
        word_.hide(valid_name(name));
    };
    keep(program_.entry());
    for (const VariableId id : program_.bindings()) keep(program_.variable(id).name);
    for (const std::string_view each : predeclared) names.reserve(each);
    for (const Op op : every_op)
        if (is_function(op)) names.reserve(spelling_of(op));
    names.reserve("workgroupUniformLoad");
    if (has_grid_barriers(program_))
        for (const std::string_view each : {"gridBarrier", "gridUniformLoad"}) names.reserve(each);
    return names;
}

Printer::Printer(const Program& program)
    : program_(program),
      names_(outer_names()),
      types_(program, names_, word_),
      value_names_(program.node_count()),
      variable_names_(program.variables().size()) {}

std::string Printer::run() && {
    count_uses();
    out_ += types_.declarations();
    module_constants();
    module_variables();
    entry_point();
    return extensions() + out_;
}

void Printer::count_uses() {
    uses_.assign(program_.node_count(), 0);
    for (std::uint32_t i = 0; i < program_.node_count(); ++i)
        for (const NodeId operand : program_.operands(NodeId{i})) ++uses_[operand.index];
}

// Called last: the text printed so far determines which extensions are needed.
std::string Printer::extensions() const {
    std::string out;
    if (contains(program_.needs().scalars, Scalar::f16)) out += "enable f16;\n";
    const ScalarSet& scalars = program_.needs().scalars;
    if (std::ranges::any_of(muster::scalars, [&](const ScalarInfo& one) {
            return is_narrow(one.scalar) && contains(scalars, one.scalar);
        }))
        out += "enable muster_int8_int16;\n";
    if (contains(scalars, Scalar::i64) || contains(scalars, Scalar::u64)) out += "enable muster_int64;\n";
    if (contains(scalars, Scalar::f64)) out += "enable muster_float64;\n";
    if (has_grid_barriers(program_)) out += "enable muster_grid_barrier;\n";
    if (program_.types().has_float_atomics()) out += "enable muster_float_atomics;\n";
    if (program_.needs().subgroups) out += "enable subgroups;\n";
    if (program_.needs().subgroup_size != 0) out += "enable subgroup_size_control;\n";
    if (word_.needs_enable()) out += "enable muster_predeclared;\n";
    for (const std::string& each : program_.extensions())
        if (each != grid_barrier_id && each != grid_uniform_load_id)
            out += fmt::format("enable {};\n", valid_name(each));
    if (subgroups_may_diverge()) out += "diagnostic(off, subgroup_uniformity);\n";
    if (leaves_uniformity()) out += "diagnostic(off, muster.uniformity);\n";
    return out.empty() ? out : out + '\n';
}

bool Printer::subgroups_may_diverge() const {
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const Node& node = program_.node(NodeId{i});
        if (info(node.op).group == OpGroup::subgroup && node.payload != 0) return true;
    }
    return false;
}

// True if the text has to leave the proof that control flow is uniform to validate(), since validate() knows
// more than the text says, or is to refuse the program.
bool Printer::leaves_uniformity() const {
    const OpSet& ops = program_.required_ops();
    const bool has_barriers = ops.contains(Op::workgroup_barrier) || ops.contains(Op::storage_barrier);
    if (!has_barriers && !program_.needs().subgroups) return false;
    if (reads_between_barriers_) return true;
    const Uniformity uniformity = analyse(program_);
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const NodeId id{i};
        const Node& node = program_.node(id);
        if (info(node.op).group == OpGroup::sync && uniformity.of_control(id) > UniformOver::workgroup)
            return true;
        if (info(node.op).group != OpGroup::subgroup || node.payload != 0) continue;
        const bool has_distance = node.op == Op::subgroup_shuffle_up ||
                                  node.op == Op::subgroup_shuffle_down || node.op == Op::subgroup_shuffle_xor;
        if (uniformity.of_control(id) > UniformOver::subgroup ||
            (has_distance && uniformity.of(program_.operand(id, 1)) > UniformOver::subgroup))
            return true;
    }
    return false;
}

// Arrays and structures are declared once, however often they are used.
void Printer::module_constants() {
    const std::size_t before = out_.size();
    for (const NodeId id : written_once()) {
        bool finite = true;
        const std::string text = types_.constant(program_.type(id), program_.constant_words(id),
                                                 [&](Scalar scalar, std::uint64_t word) {
                                                     finite = finite && is_finite_word(scalar, word);
                                                     return scalar_constant(scalar, word, word_);
                                                 });
        if (!finite) continue;
        value_names_[id.index] = names_.numbered_name("c");
        out_ += fmt::format("const {} = {};\n", value_names_[id.index], text);
    }
    if (out_.size() != before) out_ += '\n';
}

// Declares constants that contain NaN or infinity, which no const-expression can.
void Printer::constants_at_run_time() {
    for (const NodeId id : written_once())
        if (value_names_[id.index].empty()) value_names_[id.index] = at_run_time(constant(id));
}

std::vector<NodeId> Printer::written_once() const {
    std::vector<NodeId> found;
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const NodeId id{i};
        if (is_constant(id) && is_composite(program_.types()[program_.type(id)]) &&
            !program_.constant_words(id).empty())
            found.push_back(id);
    }
    return found;
}

void Printer::module_variables() {
    std::unordered_map<std::string, bool> bindings;
    for (std::size_t i = 0; i < variable_names_.size(); ++i) {
        const Variable& variable = program_.variables()[i];
        const std::string wanted = valid_name(variable.name);
        // A binding can't keep a name that another binding or the entry point has.
        const bool keeps = variable.is_binding() && wanted != program_.entry() && !bindings[wanted];
        variable_names_[i] = keeps ? wanted : names_.unique_name(variable.name);
        bindings[wanted] = bindings[wanted] || keeps;
        const std::string declared = fmt::format("{}: {}", variable_names_[i], types_.name(variable.type));
        switch (variable.space) {
            case AddressSpace::function: continue;
            case AddressSpace::private_: out_ += fmt::format("var<private> {}", declared); break;
            case AddressSpace::workgroup: out_ += fmt::format("var<workgroup> {}", declared); break;
            case AddressSpace::uniform:
                out_ += fmt::format("@group({}) @binding({}) var<uniform> {}", variable.group,
                                    variable.binding, declared);
                break;
            case AddressSpace::storage:
                out_ += fmt::format("@group({}) @binding({}) var<storage, {}> {}", variable.group,
                                    variable.binding, muster::name(variable.access), declared);
                break;
        }
        if (variable.initial) out_ += " = " + constant(variable.initial);
        out_ += ";\n";
    }
}

void Printer::entry_point() {
    const Extent3 size = program_.workgroup_size();
    const std::uint32_t subgroup = program_.needs().subgroup_size;
    out_ += fmt::format("\n@compute @workgroup_size({}, {}, {}){}\nfn {}(", size.x, size.y, size.z,
                        subgroup == 0 ? "" : fmt::format(" @subgroup_size({})", subgroup),
                        valid_name(program_.entry()));
    std::array<bool, builtin_count> used{};
    for (std::uint32_t i = 0; i < program_.node_count(); ++i) {
        const Node& node = program_.node(NodeId{i});
        if (node.op == Op::builtin) used[node.payload] = true;
    }
    std::string_view separator;
    for (std::size_t i = 0; i < builtin_count; ++i) {
        if (!used[i]) continue;
        const auto builtin = static_cast<Builtin>(i);
        const TypeId type = type_of(Scalar::u32, width(builtin));
        builtin_names_[i] = names_.unique_name(muster::name(builtin));
        out_ += fmt::format("{}\n    @builtin({}) {}: {}", separator, muster::name(builtin),
                            builtin_names_[i], types_.name(type));
        separator = ",";
    }
    out_ += ") {\n";
    ++indent_;
    constants_at_run_time();
    block(program_.body());
    out_ += "}\n";
}

std::string print(const Program& program) { return Printer(program).run(); }

}  // namespace muster::wgsl
