#include <fmt/format.h>

#include <muster/foundation/ir/program_data.hpp>
#include <muster/foundation/validate/passes.hpp>

namespace muster::validation {
namespace {

constexpr const char* fix_builder =
    "make programs with IrBuilder; a program read or rewritten by other means is damaged";

class References {
  public:
    References(const Program& program, Faults& faults) : data_(program.data()), faults_(faults) {}

    void check() {
        if (data_.locations.size() != data_.nodes.size())
            broken("the program has {} nodes and {} locations", data_.nodes.size(), data_.locations.size());
        if (data_.body.index >= data_.blocks.size()) broken("the body is block {}", data_.body.index);
        for (const ProgramData::Block& block : data_.blocks)
            if (!inside(block.first, block.count, data_.block_nodes.size()))
                broken("a block's nodes start at {}", block.first);
        for (const NodeId id : data_.block_nodes)
            if (id.index >= data_.nodes.size()) broken("a block holds node {}", id.index);
        for (const VariableId id : data_.bindings)
            if (id.index >= data_.variables.size()) broken("a binding is variable {}", id.index);
        for (const Variable& variable : data_.variables) check(variable);
        if (!faults_.none()) return;
        for (std::uint32_t index = 0; index < data_.nodes.size() && !faults_.full(); ++index)
            check(NodeId{index});
    }

  private:
    template <class... Arguments>
    void broken(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
        faults_.add(fmt::format("The program's arena is damaged: {}.",
                                fmt::format(text, std::forward<Arguments>(arguments)...)),
                    fix_builder);
    }

    static bool inside(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
        return first + count <= size;
    }

    void check(const Variable& variable) {
        if (variable.type.index >= data_.types.count())
            broken("variable \"{}\" has type {}", variable.name, variable.type.index);
        if (!variable.initial) return;
        if (variable.initial.index >= data_.nodes.size() ||
            data_.nodes[variable.initial.index].op != Op::constant)
            broken("variable \"{}\" starts as node {}, which isn't a constant", variable.name,
                   variable.initial.index);
    }

    void check(NodeId id) {
        const Node& node = data_.nodes[id.index];
        if (static_cast<std::size_t>(node.op) >= op_count)
            return broken("node {} has no operation", id.index);
        if (node.type.index >= data_.types.count())
            return broken("node {} has type {}", id.index, node.type.index);
        if (!inside(node.first_operand, node.operand_count, data_.operands.size()))
            return broken("node {} has operands from {}", id.index, node.first_operand);
        if (!inside(node.first_block, node.block_count, data_.node_blocks.size()))
            return broken("node {} has blocks from {}", id.index, node.first_block);
        for (std::uint32_t i = 0; i < node.operand_count; ++i)
            if (const NodeId operand = data_.operands[node.first_operand + i]; operand >= id)
                return broken("node {} uses node {}, which doesn't come before it", id.index, operand.index);
        for (std::uint32_t i = 0; i < node.block_count; ++i)
            if (const BlockId block = data_.node_blocks[node.first_block + i];
                block.index >= data_.blocks.size())
                return broken("node {} has block {}", id.index, block.index);
        if (!payload_fits(node))
            return broken("node {} ({}) has payload {}", id.index, info(node.op).name, node.payload);
        check_counts(id, node);
    }

    bool payload_fits(const Node& node) const {
        // Checks payloads that are indices; the other payloads are checked with the types.
        if (node.op == Op::constant) {
            const Type& type = data_.types[node.type];
            if (type.kind == TypeKind::none || data_.types.has_runtime_array(node.type)) return false;
            return node.payload == zero_constant ||
                   inside(node.payload, data_.types.scalar_words(node.type), data_.words.size());
        }
        if (node.op == Op::builtin) return node.payload < builtin_count;
        if (node.op == Op::ref_variable || node.op == Op::declare)
            return node.payload < data_.variables.size();
        if (node.op == Op::extension) return node.payload < data_.extensions.size();
        if (node.op == Op::switch_) return switch_table_fits(node);
        if (info(node.op).group == OpGroup::subgroup) return node.payload <= known_uniform;
        return true;
    }

    bool switch_table_fits(const Node& node) const {
        std::uint64_t at = node.payload;
        for (std::uint32_t i = 0; i < node.block_count; ++i) {
            if (!inside(at, 2, data_.words.size())) return false;
            const std::uint32_t selectors = data_.words[at];
            if (!inside(at + 2, selectors, data_.words.size())) return false;
            at += 2 + std::uint64_t{selectors};
        }
        return true;
    }

    void check_counts(NodeId id, const Node& node) {
        const std::int8_t operands = info(node.op).operands;
        if (operands >= 0 && node.operand_count != static_cast<std::uint8_t>(operands))
            faults_.add(id,
                        fmt::format("{} has {} operands; it takes {}.", info(node.op).name,
                                    node.operand_count, operands),
                        "give it the operands that program.hpp states");
        else if (node.op == Op::declare && node.operand_count > 1)
            faults_.add(id, fmt::format("declare has {} operands; it takes one or none.", node.operand_count),
                        "give it its initial value alone");
        const bool blocks_fit = node.op == Op::if_ || node.op == Op::loop ? node.block_count == 2
                                : node.op == Op::scope                    ? node.block_count == 1
                                : node.op == Op::switch_                  ? node.block_count >= 1
                                                                          : node.block_count == 0;
        if (!blocks_fit)
            faults_.add(id, fmt::format("{} has {} blocks.", info(node.op).name, node.block_count),
                        "give if_ and loop two blocks, scope one, switch_ one per case, others none");
    }

    const ProgramData& data_;
    Faults& faults_;
};

}  // namespace

void check_references(const Program& program, Faults& faults) { References(program, faults).check(); }

}  // namespace muster::validation
