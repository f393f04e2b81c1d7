// plain_evaluator.hpp - runs one invocation of a program by walking its tree, as slowly and plainly as
// possible, to compare the interpreter with. It supports integers and bool, function variables and storage of
// words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/semantics/fold.hpp>

namespace muster::test {

class PlainEvaluator {
  public:
    using Words = std::vector<std::uint32_t>;

    /// `storage`: the program's one binding, a run-time array of words.
    PlainEvaluator(const Program& program, Words& storage) : program_(program), storage_(storage) {}
    void run() { block(program_.body()); }

  private:
    enum class Flow { next, break_, continue_, return_ };
    struct Location {
        Words* words;
        std::uint64_t offset;
    };

    Words value(NodeId id) {
        const Node& node = program_.node(id);
        if (node.op != Op::constant) return values_.at(id.index);
        const auto words = program_.constant_words(id);
        if (words.empty()) return Words(program_.types().scalar_words(node.type));
        return {words.begin(), words.end()};
    }

    std::optional<Location> location(NodeId id) {
        const Node& node = program_.node(id);
        if (node.op == Op::ref_variable) {
            if (program_.variable(VariableId{node.payload}).is_binding()) return Location{&storage_, 0};
            return Location{&variables_.at(node.payload), 0};
        }
        std::optional<Location> base = location(program_.operand(id, 0));
        const Type& of = program_.types()[program_.type(program_.operand(id, 0))];
        if (node.op == Op::ref_member) {
            for (std::uint32_t m = 0; base && m < node.payload; ++m)
                base->offset += program_.types().scalar_words(of.members[m].type);
            return base;
        }
        const std::uint32_t index = value(program_.operand(id, 1))[0];
        const std::uint64_t count = of.is_runtime_array()         ? storage_.size()
                                    : of.kind == TypeKind::vector ? of.width
                                                                  : of.count;
        if (!base || index >= count) return {};
        base->offset += index * program_.types().scalar_words(node.type);
        return base;
    }

    void store(std::optional<Location> to, const Words& words) {
        for (std::size_t k = 0; to && k < words.size(); ++k) (*to->words)[to->offset + k] = words[k];
    }

    Flow block(BlockId id) {
        for (const NodeId node : program_.block(id))
            if (const Flow flow = execute(node); flow != Flow::next) return flow;
        return Flow::next;
    }

    Flow execute(NodeId id) {
        const Node& node = program_.node(id);
        const auto operands = program_.operands(id);
        if (is_exact(node.op)) {
            std::vector<Words> words;
            for (const NodeId operand : operands) words.push_back(value(operand));
            std::vector<ConstantValue> constants;
            for (std::size_t i = 0; i < words.size(); ++i)
                constants.push_back({program_.type(operands[i]), words[i]});
            values_[id.index] = fold(node.op, program_.types(), node.type, constants, node.payload).value();
        } else if (node.op == Op::declare) {
            const TypeId type = program_.variable(VariableId{node.payload}).type;
            variables_[node.payload] =
                operands.empty() ? Words(program_.types().scalar_words(type)) : value(operands[0]);
        } else if (node.op == Op::load) {
            Words words(program_.types().scalar_words(node.type));
            if (const auto from = location(operands[0]))
                for (std::size_t k = 0; k < words.size(); ++k) words[k] = (*from->words)[from->offset + k];
            values_[id.index] = words;
        } else if (node.op == Op::store) {
            store(location(operands[0]), value(operands[1]));
        } else {
            return control(id);
        }
        return Flow::next;
    }

    Flow control(NodeId id) {
        const Op op = program_.node(id).op;
        const auto blocks = program_.blocks(id);
        if (op == Op::break_) return Flow::break_;
        if (op == Op::continue_) return Flow::continue_;
        if (op == Op::return_) return Flow::return_;
        if (op == Op::break_if) return value(program_.operand(id, 0))[0] ? Flow::break_ : Flow::next;
        if (op == Op::if_) return block(blocks[value(program_.operand(id, 0))[0] ? 0 : 1]);
        if (op == Op::scope) return left(block(blocks[0]));
        if (op == Op::switch_) return left(block(chosen_case(id)));
        if (op != Op::loop) throw std::logic_error("the plain evaluator doesn't know this operation");
        for (;;) {
            Flow flow = block(blocks[0]);
            if (flow == Flow::next || flow == Flow::continue_) flow = block(blocks[1]);
            if (flow != Flow::next) return left(flow);
        }
    }

    static Flow left(Flow flow) { return flow == Flow::break_ ? Flow::next : flow; }

    BlockId chosen_case(NodeId id) {
        const std::uint32_t selector = value(program_.operand(id, 0))[0];
        BlockId chosen;
        for (const SwitchCase& c : program_.switch_cases(id)) {
            if (c.is_default && !chosen) chosen = c.block;
            for (const std::uint32_t word : c.selectors)
                if (word == selector) return c.block;
        }
        return chosen;
    }

    const Program& program_;
    Words& storage_;
    std::map<std::uint32_t, Words> values_, variables_;
};

}  // namespace muster::test
