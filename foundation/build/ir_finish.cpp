// ir_finish.cpp - canonical numbering: walks the body once and copies the needed nodes in the order in which
// they are met.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <tuple>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/build/ir_builder_state.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/semantics/fold.hpp>

namespace muster {
namespace {

using State = IrBuilder::State;

bool is_reference(Op op) { return op == Op::ref_variable || op == Op::ref_index || op == Op::ref_member; }

class Canonicaliser {
  public:
    explicit Canonicaliser(State& from)
        : from_(from),
          node_(from.nodes.size()),
          variable_(from.variables.size()),
          needed_(from.nodes.size(), false),
          type_(from.types.count(), no_type) {}

    std::shared_ptr<ProgramData> run() {
        drop_last_return();
        mark_needed();
        store_unusual_initial_values();
        data_->entry = from_.entry;
        data_->workgroup_size = from_.workgroup_size;
        data_->needs.subgroup_size = from_.subgroup_size;
        data_->files = from_.files;
        data_->body = block(BlockId{0});
        note_use_of_variables();
        order_bindings();
        return std::move(data_);
    }

  private:
    // A return at the body's end is redundant.
    void drop_last_return() {
        std::vector<NodeId>& body = from_.blocks[0];
        if (!body.empty() && from_.nodes[body.back().index].op == Op::return_) body.pop_back();
    }

    void need(NodeId id) {
        if (!needed_[id.index]) {
            needed_[id.index] = true;
            work_.push_back(id);
        }
    }

    void need_effects(BlockId block) {
        for (NodeId id : from_.blocks[block.index]) {
            if (!info(from_.nodes[id.index].op).pure) need(id);
        }
    }

    // Marks nodes with effects, and transitively their operands; the other pure nodes are dropped.
    void mark_needed() {
        need_effects(BlockId{0});
        while (!work_.empty()) {
            const NodeId id = work_.back();
            work_.pop_back();
            for (NodeId operand : from_.operands_of(from_.nodes[id.index])) need(operand);
            if (const State::Control* control = from_.control_of(id))
                for (BlockId block : control->blocks) need_effects(block);
        }
    }

    // WGSL has no text for an initial value with NaN or infinity: such a private variable is stored to at the
    // start of the body instead.
    void store_unusual_initial_values() {
        std::vector<bool> is_used(from_.variables.size(), false);
        for (std::uint32_t i = 0; i < needed_.size(); ++i)
            if (needed_[i] && from_.nodes[i].op == Op::ref_variable) is_used[from_.nodes[i].payload] = true;
        std::vector<NodeId> stores;
        for (std::uint32_t i = 0; i < is_used.size(); ++i) {
            Variable& variable = from_.variables[i];
            if (!is_used[i] || variable.space != AddressSpace::private_ || !variable.initial ||
                is_finite(from_.nodes[variable.initial.index]))
                continue;
            const NodeId place = from_.free_node(Op::ref_variable, variable.type, {}, i);
            stores.push_back(from_.add(Op::store, no_type, std::array{place, variable.initial}, 0));
            variable.initial = {};
        }
        if (stores.empty()) return;
        node_.resize(from_.nodes.size());
        needed_.resize(from_.nodes.size(), false);
        from_.blocks[0].insert(from_.blocks[0].begin(), stores.begin(), stores.end());
        mark_needed();
    }

    bool is_finite(const Node& constant) const {
        if (constant.op != Op::constant || constant.payload == zero_constant) return true;
        std::vector<Scalar> scalars;
        list_scalars(constant.type, scalars);
        const std::span<const std::uint32_t> words = from_.words_of(constant);
        std::size_t at = 0;
        for (const Scalar scalar : scalars) {
            const std::uint64_t high = is_wide(scalar) ? words[at + 1] : 0;
            if (!is_finite_word(scalar, words[at] | high << 32)) return false;
            at += words_of(scalar);
        }
        return true;
    }

    void list_scalars(TypeId id, std::vector<Scalar>& out) const {
        const Type& type = from_.types[id];
        if (type.kind == TypeKind::array)
            for (std::uint32_t i = 0; i < type.count; ++i) list_scalars(type.element, out);
        else if (type.kind == TypeKind::structure)
            for (const Member& member : type.members) list_scalars(member.type, out);
        else
            out.insert(out.end(), type.width, type.scalar);
    }

    TypeId type(TypeId id) {
        if (id.index < fixed_type_count) return id;
        if (type_[id.index] == no_type) type_[id.index] = data_->types.import(from_.types, id);
        return type_[id.index];
    }

    VariableId variable(VariableId id) {
        if (!variable_[id.index]) {
            variable_[id.index] = VariableId{static_cast<std::uint32_t>(data_->variables.size())};
            Variable copy = from_.variables[id.index];
            copy.type = type(copy.type);
            copy.is_read = copy.is_written = false;
            data_->variables.push_back(std::move(copy));
            if (const NodeId initial = from_.variables[id.index].initial) {
                const NodeId constant = node(initial);
                data_->variables[variable_[id.index].index].initial = constant;
            }
        }
        return variable_[id.index];
    }

    std::uint32_t extension(std::uint32_t index) {
        const std::string& id = from_.extensions[index];
        const auto found = std::ranges::find(data_->extensions, id);
        const auto at = static_cast<std::uint32_t>(found - data_->extensions.begin());
        if (found == data_->extensions.end()) data_->extensions.push_back(id);
        return at;
    }

    std::uint32_t append_words(std::span<const std::uint32_t> words) {
        const auto offset = static_cast<std::uint32_t>(data_->words.size());
        data_->words.insert(data_->words.end(), words.begin(), words.end());
        return offset;
    }

    std::uint32_t switch_table(NodeId id) {
        const auto offset = static_cast<std::uint32_t>(data_->words.size());
        for (const State::CaseLabel& label : from_.controls[id.index].cases) {
            data_->words.push_back(static_cast<std::uint32_t>(label.selectors.size()));
            data_->words.push_back(label.is_default ? 1 : 0);
            append_words(label.selectors);
        }
        return offset;
    }

    std::uint32_t payload(NodeId id, const Node& old) {
        if (old.op == Op::constant) {
            return old.payload == zero_constant ? zero_constant : append_words(from_.words_of(old));
        }
        if (old.op == Op::ref_variable || old.op == Op::declare)
            return variable(VariableId{old.payload}).index;
        if (old.op == Op::switch_) return switch_table(id);
        if (old.op == Op::extension) return extension(old.payload);
        return old.payload;
    }

    // Numbers free operands when they are first met; placed ones have been numbered in their block.
    NodeId node(NodeId id) {
        if (node_[id.index]) return node_[id.index];
        const Node& old = from_.nodes[id.index];
        const std::span<const NodeId> operands = from_.operands_of(old);
        for (NodeId operand : operands) node(operand);
        Node copy = old;
        copy.type = type(old.type);
        copy.payload = payload(id, old);
        copy.first_operand = operands.empty() ? 0 : static_cast<std::uint32_t>(data_->operands.size());
        for (NodeId operand : operands) data_->operands.push_back(node_[operand.index]);
        const NodeId made{static_cast<std::uint32_t>(data_->nodes.size())};
        data_->nodes.push_back(copy);
        data_->locations.push_back(from_.locations[id.index]);
        if (const auto name = from_.names.find(id.index); name != from_.names.end()) {
            data_->names.emplace(made.index, name->second);
        }
        note_need(copy);
        return node_[id.index] = made;
    }

    void control(NodeId id, NodeId made) {
        const State::Control* gathered = from_.control_of(id);
        if (!gathered) return;
        std::vector<BlockId> blocks;
        for (BlockId old : gathered->blocks) blocks.push_back(block(old));
        Node& node = data_->nodes[made.index];
        node.first_block = blocks.empty() ? 0 : static_cast<std::uint32_t>(data_->node_blocks.size());
        node.block_count = static_cast<std::uint16_t>(blocks.size());
        data_->node_blocks.insert(data_->node_blocks.end(), blocks.begin(), blocks.end());
    }

    BlockId block(BlockId old) {
        const BlockId made{static_cast<std::uint32_t>(data_->blocks.size())};
        data_->blocks.emplace_back();
        std::vector<NodeId> placed;
        for (NodeId id : from_.blocks[old.index]) {
            if (!needed_[id.index]) continue;
            placed.push_back(node(id));
            control(id, placed.back());
        }
        data_->blocks[made.index] = {static_cast<std::uint32_t>(data_->block_nodes.size()),
                                     static_cast<std::uint32_t>(placed.size())};
        data_->block_nodes.insert(data_->block_nodes.end(), placed.begin(), placed.end());
        return made;
    }

    void note_need(const Node& node) {
        if (node.op == Op::extension) {
            data_->required_ops.insert(data_->extensions[node.payload]);
        } else {
            data_->required_ops.insert(node.op);
        }
        if (info(node.op).group == OpGroup::atomic) {
            const NodeId place = data_->operands[node.first_operand];
            data_->needs.wide_atomics |= is_wide(data_->types[data_->nodes[place.index].type].scalar);
        }
        const bool is_builtin =
            node.op == Op::builtin && is_of_subgroups(Builtin{static_cast<std::uint8_t>(node.payload)});
        if (is_builtin || info(node.op).group == OpGroup::subgroup) data_->needs.subgroups = true;
        note_scalars(node.type);
    }

    void note_scalars(TypeId id) {
        if (id.index >= noted_.size()) noted_.resize(data_->types.count(), false);
        if (noted_[id.index]) return;
        noted_[id.index] = true;
        const Type& type = data_->types[id];
        if (type.kind == TypeKind::array) note_scalars(type.element);
        for (const Member& member : type.members) note_scalars(member.type);
        if (type.kind == TypeKind::scalar || type.kind == TypeKind::vector || type.kind == TypeKind::atomic)
            data_->needs.scalars.set(static_cast<std::size_t>(type.scalar));
    }

    Variable& root_of(NodeId reference) {
        while (data_->nodes[reference.index].op != Op::ref_variable)
            reference = data_->operands[data_->nodes[reference.index].first_operand];
        return data_->variables[data_->nodes[reference.index].payload];
    }

    // The operand may not be a reference yet: validation reports that.
    void note_read_by_extension(const Node& node) {
        if (node.operand_count == 0) return;
        const NodeId place = data_->operands[node.first_operand];
        if (is_reference(data_->nodes[place.index].op)) root_of(place).is_read = true;
    }

    void note_use_of_variables() {
        for (const Node& node : data_->nodes) {
            const OpGroup group = info(node.op).group;
            if (node.op == Op::extension && data_->extensions[node.payload] == grid_uniform_load_id)
                note_read_by_extension(node);
            if (node.op == Op::array_length || node.op == Op::declare || node.operand_count == 0) continue;
            if (group != OpGroup::memory && group != OpGroup::atomic) continue;
            Variable& variable = root_of(data_->operands[node.first_operand]);
            const bool only_reads = node.op == Op::load || node.op == Op::atomic_load;
            const bool only_writes = node.op == Op::store || node.op == Op::atomic_store;
            if (!only_writes) variable.is_read = true;
            if (!only_reads) variable.is_written = true;
        }
    }

    void order_bindings() {
        ProgramNeeds& needs = data_->needs;
        needs.workgroup_size = data_->workgroup_size;
        for (std::uint32_t i = 0; i < data_->variables.size(); ++i) {
            const Variable& variable = data_->variables[i];
            const Type& type = data_->types[variable.type];
            // Outside of bindings, backends may give an integer of 8 bits a word.
            const std::uint64_t bytes =
                type.least_bytes == 1 ? std::max(type.size, 4 * type.words) : type.size;
            note_scalars(variable.type);
            switch (variable.space) {
                case AddressSpace::function:
                case AddressSpace::private_: needs.private_bytes += bytes; break;
                case AddressSpace::workgroup: needs.workgroup_bytes += round_up(bytes, 16); break;
                case AddressSpace::storage: ++needs.storage_bindings; break;
                case AddressSpace::uniform: ++needs.uniform_bindings; break;
            }
            if (variable.is_binding()) data_->bindings.push_back(VariableId{i});
        }
        std::ranges::sort(data_->bindings, {}, [&](VariableId id) {
            const Variable& variable = data_->variables[id.index];
            return std::tuple{variable.group, variable.binding, id};
        });
    }

    State& from_;
    std::shared_ptr<ProgramData> data_ = std::make_shared<ProgramData>();
    std::vector<NodeId> node_;
    std::vector<VariableId> variable_;
    std::vector<bool> needed_;
    std::vector<TypeId> type_;
    std::vector<bool> noted_;  // types whose scalars have been added to the needs
    std::vector<NodeId> work_;
};

}  // namespace

Result<Program> IrBuilder::finish() && {
    State& state = *state_;
    if (state.too_many_nodes) {
        return fail(ErrorCode::limit_exceeded,
                    "The program \"" + state.entry + "\" has more than " + std::to_string(max_nodes) +
                        " operations once its functions are inlined.",
                    "call fewer functions from functions, or move repeated work into a loop.");
    }
    if (state.too_deep) {
        return fail(ErrorCode::limit_exceeded,
                    "The program \"" + state.entry + "\" nests control flow more than " +
                        std::to_string(limits::nesting) + " levels deep.",
                    "flatten the nested if, loop and switch statements.");
    }
    if (state.misused || state.frames.size() != 1) {
        return fail(ErrorCode::invalid_program,
                    "The program \"" + state.entry +
                        "\" ends while a control construct is open, or closes one "
                        "that isn't.",
                    "pair every begin_ with its end_.");
    }
    return Program(Canonicaliser(state).run());
}

}  // namespace muster
