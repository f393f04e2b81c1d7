#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/compiler.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/program_limits.hpp>

namespace muster::interpreter {
namespace {

constexpr std::uint32_t unplaced = UINT32_MAX;

std::uint32_t builtin_register(Builtin builtin) {
    switch (builtin) {
        case Builtin::global_invocation_id: return frame_global_id;
        case Builtin::local_invocation_id: return frame_local_id;
        case Builtin::local_invocation_index: return frame_local_index;
        case Builtin::workgroup_id: return frame_workgroup_id;
        case Builtin::num_workgroups: return frame_num_workgroups;
        case Builtin::subgroup_invocation_id: return frame_subgroup_invocation_id;
        case Builtin::subgroup_size: return frame_subgroup_size;
        case Builtin::subgroup_id: return frame_subgroup_id;
        case Builtin::num_subgroups: return frame_num_subgroups;
    }
    return frame_global_id;
}

bool overlaps_otherwise(std::uint32_t a, std::uint32_t a_words, std::uint32_t b, std::uint32_t b_words) {
    if (a == b && a_words == b_words) return false;
    return a < b + b_words && b < a + a_words;
}

}  // namespace

Compiler::Compiler(const ValidProgram& program, InterpreterCode::Variant variant)
    : program_owner_(program),
      program_(*program_owner_),
      types_(program_.types()),
      variant_(variant),
      code_(new InterpreterCode::Data{.program = program, .variant = variant}),
      live_(find_liveness(program_)),
      layouts_(types_, *code_),
      registers_of_(program_.node_count(), unplaced),
      variables_(program_.variables().size(), 0),
      bindings_(program_.variables().size(), 0) {}

Result<std::shared_ptr<const InterpreterCode::Data>> Compiler::run() && {
    TRY(check_sizes());
    TRY(lay_out());
    TRY(block(program_.body()));
    bind(done_);
    emit({.run = done_handler()});
    const std::uint64_t words = registers_.end();
    const std::uint64_t invocations = code_->switches ? program_.workgroup_size().count() : 1;
    if (words > max_memory_words / invocations)
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("The values and variables of {} invocations take {} bytes each; the "
                                "interpreter has 256 MiB for them.",
                                invocations, words * 4),
                    "use smaller arrays in function and private variables, or a smaller workgroup.");
    code_->frame.resize(words);
    return std::move(code_);
}

// After this check every value, variable and offset fits 32 bits.
Result<void> Compiler::check_sizes() const {
    if (!limits::is_subgroup_size(variant_.subgroup_size))
        return fail(ErrorCode::invalid_argument,
                    fmt::format("A subgroup can't have {} invocations.", variant_.subgroup_size),
                    "use a power of two from 4 to 128.");
    std::uint64_t in_frame = 0, in_workgroup = 0;
    for (const Variable& variable : program_.variables()) {
        if (variable.is_binding()) {
            const std::uint64_t stride = runtime_array(types_, variable.type).stride;
            const std::uint64_t most = max_binding_bytes(types_, variable.type);
            if (std::max(types_[variable.type].size, stride) < most) continue;
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("The type of \"{}\" takes {} GiB or more; the interpreter takes less.",
                                    variable.name, most >> 30),
                        "use a smaller type.");
        }
        std::uint64_t& sum = variable.space == AddressSpace::workgroup ? in_workgroup : in_frame;
        sum += types_.scalar_words(variable.type);
        if (sum > max_memory_words)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("The {} variables up to \"{}\" take over 256 MiB, more than the "
                                    "interpreter has for them.",
                                    name(variable.space), variable.name),
                        "use smaller arrays.");
    }
    for (NodeId id{0}; id.index < program_.node_count(); ++id.index) {
        const Op op = program_.node(id).op;
        if (op == Op::ref_variable || op == Op::ref_index || op == Op::ref_member) continue;
        if (types_.scalar_words(program_.type(id)) > max_memory_words)
            return fail(
                ErrorCode::limit_exceeded,
                fmt::format("A value of type {} takes over 256 MiB, more than the interpreter has for one.",
                            types_.name(program_.type(id))),
                "load and store its elements one by one.");
    }
    return {};
}

// Frame layout: built-in values and array lengths, constants, private and function variables, registers.
Result<void> Compiler::lay_out() {
    const auto bindings = program_.bindings();
    for (std::uint32_t i = 0; i < bindings.size(); ++i) bindings_[bindings[i].index] = i;
    code_->frame.assign(frame_lengths + bindings.size(), 0);
    const std::uint32_t asked = program_.needs().subgroup_size;
    code_->subgroup_size = asked != 0 ? asked : variant_.subgroup_size;
    code_->frame[frame_subgroup_size] = code_->subgroup_size;
    const std::uint64_t invocations = program_.workgroup_size().count();
    code_->frame[frame_num_subgroups] =
        static_cast<std::uint32_t>((invocations + code_->subgroup_size - 1) / code_->subgroup_size);
    lay_out_constants();
    std::vector<std::uint32_t>& frame = code_->frame;
    code_->private_first = static_cast<std::uint32_t>(frame.size());
    std::uint64_t end = frame.size();
    for (const AddressSpace space : {AddressSpace::private_, AddressSpace::function}) {
        for (std::uint32_t i = 0; i < variables_.size(); ++i) {
            const Variable& variable = program_.variables()[i];
            if (variable.space != space) continue;
            variables_[i] = static_cast<std::uint32_t>(end);
            end += words(variable.type);
            if (space != AddressSpace::private_) continue;
            frame.resize(end, 0);
            if (variable.initial)
                std::ranges::copy(program_.constant_words(variable.initial), frame.begin() + variables_[i]);
        }
        if (space == AddressSpace::private_)
            code_->private_words = static_cast<std::uint32_t>(end) - code_->private_first;
    }
    for (std::uint32_t i = 0; i < variables_.size(); ++i) {
        if (program_.variables()[i].space != AddressSpace::workgroup) continue;
        variables_[i] = code_->workgroup_words;
        code_->workgroup_words += words(program_.variables()[i].type);
    }
    code_->workgroup_offsets = variables_;
    registers_ = Registers(end);
    return {};
}

// All zero constants share one run of zeros, as long as the longest of them.
void Compiler::lay_out_constants() {
    std::vector<std::uint32_t>& frame = code_->frame;
    std::uint32_t longest_zero = 0;
    for (NodeId id{0}; id.index < program_.node_count(); ++id.index) {
        const Node& node = program_.node(id);
        if (node.op == Op::builtin)
            registers_of_[id.index] = builtin_register(static_cast<Builtin>(node.payload));
        if (node.op == Op::ref_index || node.op == Op::extract_dynamic) {
            const Type& of = type(program_.operand(id, 0));
            constant_word(of.kind == TypeKind::array ? of.count : of.width);
        }
        if (node.op != Op::constant) continue;
        const auto words = program_.constant_words(id);
        if (words.empty()) {
            longest_zero = std::max(longest_zero, this->words(id));
        } else if (words.size() == 1) {
            registers_of_[id.index] = constant_word(words[0]);
        } else {
            registers_of_[id.index] = static_cast<std::uint32_t>(frame.size());
            frame.insert(frame.end(), words.begin(), words.end());
        }
    }
    const auto zeros = static_cast<std::uint32_t>(frame.size());
    frame.resize(frame.size() + longest_zero, 0);
    for (NodeId id{0}; id.index < program_.node_count(); ++id.index)
        if (program_.node(id).op == Op::constant && program_.constant_words(id).empty())
            registers_of_[id.index] = zeros;
}

std::uint32_t Compiler::constant_word(std::uint32_t word) {
    const auto [known, is_new] =
        constant_words_.try_emplace(word, static_cast<std::uint32_t>(code_->frame.size()));
    if (is_new) code_->frame.push_back(word);
    return known->second;
}

std::uint32_t Compiler::emit(Instruction instruction) {
    code_->instructions.push_back(instruction);
    code_->nodes.push_back(current_);
    return static_cast<std::uint32_t>(code_->instructions.size()) - 1;
}

Result<void> Compiler::block(BlockId id) {
    const auto nodes = program_.block(id);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        current_ = nodes[i];
        next_ = i + 1 < nodes.size() ? nodes[i + 1] : NodeId{};
        now_ = live_.position[current_.index];
        registers_.release_before(now_);
        TRY(node(current_));
    }
    return {};
}

// Chooses the position of a node's value: the variable that the next node stores it to, if that is its
// only use and the handler, which may write a word before it reads the next, can't overwrite an
// operand that it still reads.
std::uint32_t Compiler::result(NodeId id) {
    const std::uint32_t count = words(id);
    if (const auto target = target_of_next(id)) {
        const Op op = program_.node(id).op;
        const bool reads_first = op == Op::splat || op == Op::swizzle ||
                                 (op == Op::compose && count <= 4 && type(id).kind == TypeKind::vector);
        const bool is_safe = reads_first || std::ranges::all_of(program_.operands(id), [&](NodeId operand) {
                                 if (at(operand) == unplaced) return true;  // a reference
                                 return !overlaps_otherwise(*target, count, at(operand), words(operand));
                             });
        if (is_safe) return registers_of_[id.index] = *target;
    }
    return registers_of_[id.index] = registers_.take(count, live_.last[id.index]);
}

Result<void> Compiler::node(NodeId id) {
    switch (info(program_.node(id).op).group) {
        case OpGroup::free: return {};
        case OpGroup::exact:
        case OpGroup::packed:
        case OpGroup::math:
            if (!is_left_to_branch(id)) value(id);
            return {};
        case OpGroup::memory:
            if (program_.node(id).op == Op::load) return load(id);
            if (program_.node(id).op == Op::store)
                return store(program_.operand(id, 0), program_.operand(id, 1));
            if (program_.node(id).op == Op::declare) return declare(id);
            array_length(id);
            return {};
        case OpGroup::atomic: atomic(id); return {};
        case OpGroup::control: return control(id);
        case OpGroup::sync:
            code_->switches = true;
            emit({.run = barrier_handler(program_.node(id).op)});
            return {};
        case OpGroup::subgroup: subgroup(id); return {};
        case OpGroup::extension:
            if (is_grid_barrier(program_, id)) return grid_barrier(true), Result<void>{};
            if (is_grid_uniform_load(program_, id)) return grid_uniform_load(id), Result<void>{};
            return fail(ErrorCode::unsupported,
                        fmt::format("The interpreter doesn't know the operation \"{}\".",
                                    program_.extensions()[program_.node(id).payload]),
                        "leave it out, or have the driver rewrite it first.");
    }
    return {};
}

// Its result has a place of its own: it is written while others of the subgroup still read their operands.
void Compiler::subgroup(NodeId id) {
    const auto operands = program_.operands(id);
    code_->switches = code_->meets_subgroup = true;
    registers_of_[id.index] = registers_.take(words(id), live_.last[id.index]);
    emit({.run = subgroup_handler(),
          .a = at(id),
          .b = at(operands[0]),
          .c = operands.size() > 1 ? at(operands[1]) : 0,
          .f = id.index});
}

void Compiler::value(NodeId id) {
    const Node& node = program_.node(id);
    const auto operands = program_.operands(id);
    if (is_part_of_operand(program_, id)) {
        registers_of_[id.index] = part(id);
        return;
    }
    if (node.op == Op::compose || node.op == Op::splat || node.op == Op::swizzle) return compose(id);
    if (node.op == Op::extract_dynamic) return extract_dynamic(id);
    const Type& of = type(operands[0]);
    const std::uint32_t width = type(id).width;
    Instruction i{.b = at(operands[0]),
                  .c = at(operands[operands.size() > 1 ? 1 : 0]),
                  .d = operands.size() > 2 ? at(operands[2]) : 0};
    i.a = result(id);
    if (node.op == Op::select) {
        i.run =
            select_handler(type(operands[2]).kind == TypeKind::vector, words(id), is_wide(type(id).scalar));
        i.f = words(id);
    } else if (node.op == Op::all || node.op == Op::any) {
        i.run = reduce_handler(node.op, of.width);
    } else if (node.op == Op::convert || node.op == Op::bitcast) {
        i.run = conversion_handler(node.op, of.scalar, type(id).scalar, width, variant_.flush_subnormals);
    } else if (info(node.op).group == OpGroup::math) {
        i.run = math_handler(node.op, of.scalar, width, variant_.flush_subnormals);
        i.f = static_cast<std::uint32_t>(node.op);
    } else {
        i.run = scalar_handler(node.op, of.scalar, width, variant_.flush_subnormals);
    }
    emit(i);
}

// The position of a part within the whole value.
std::uint32_t Compiler::part(NodeId id) const {
    const Node& node = program_.node(id);
    const NodeId whole = program_.operand(id, 0);
    std::uint32_t first = at(whole);
    if (node.op != Op::extract) return first;
    const Type& of = type(whole);
    if (of.kind == TypeKind::array) return first + node.payload * words(of.element);
    if (of.kind == TypeKind::vector) return first + node.payload * words_of(of.scalar);
    for (std::uint32_t m = 0; m < node.payload; ++m) first += words(of.members[m].type);
    return first;
}

void Compiler::compose(NodeId id) {
    const Node& node = program_.node(id);
    const auto operands = program_.operands(id);
    std::vector<std::uint32_t> from;
    if (type(id).kind == TypeKind::vector) {
        const std::uint32_t each = words_of(type(id).scalar);
        for (std::uint32_t word = 0; word < words(id); ++word) {
            const std::uint32_t k = word / each, part = word % each;
            if (node.op == Op::splat) from.push_back(at(operands[0]) + part);
            if (node.op == Op::swizzle)
                from.push_back(at(operands[0]) + ((node.payload >> (2 * k)) & 3) * each + part);
        }
        if (node.op == Op::compose)
            for (const NodeId operand : operands)
                for (std::uint32_t k = 0; k < words(operand); ++k) from.push_back(at(operand) + k);
        return gather(id, from);
    }
    std::uint32_t to = result(id);
    for (const NodeId operand : operands) {
        copy(to, at(operand), words(operand));
        to += words(operand);
    }
}

void Compiler::gather(NodeId id, std::span<const std::uint32_t> from) {
    if (from.size() > 4) {  // not where the next node stores it: the parts may be read from there
        const auto count = static_cast<std::uint32_t>(from.size());
        const std::uint32_t to = registers_of_[id.index] = registers_.take(count, live_.last[id.index]);
        for (std::uint32_t k = 0; k < count; k += 2) copy(to + k, from[k], 2);
        return;
    }
    const auto source = [&](std::size_t k) { return k < from.size() ? from[k] : 0; };
    Instruction i{.run = gather_handler(static_cast<std::uint32_t>(from.size())),
                  .b = source(0),
                  .c = source(1),
                  .d = source(2),
                  .e = source(3)};
    i.a = result(id);
    emit(i);
}

}  // namespace muster::interpreter

namespace muster {

Result<InterpreterCode> InterpreterCode::compile(const ValidProgram& program, Variant variant) {
    return InterpreterCode(TRY(interpreter::Compiler(program, variant).run()));
}

const ValidProgram& InterpreterCode::program() const { return data_->program; }

}  // namespace muster
