#include <string>
#include <utility>
#include <vector>

#include "support/random_program.hpp"

namespace muster::testing {
namespace {

using Expression = RandomExpression;
using Statement = RandomStatement;
using Block = std::vector<Statement>;

// Calls `visit` with every list of statements and every expression below, parents first.
template <class OnBlock, class OnExpression>
void walk(Block& block, const OnBlock& on_block, const OnExpression& on_expression) {
    on_block(block);
    for (Statement& statement : block) {
        for (Expression& expression : statement.expressions) on_expression(expression);
        for (Block& nested : statement.blocks) walk(nested, on_block, on_expression);
    }
}

void all_expressions(Expression& expression, std::vector<Expression*>& to) {
    to.push_back(&expression);
    for (Expression& argument : expression.arguments) all_expressions(argument, to);
}

Expression simplest(const std::string& type) {
    if (type == "bool") return {type, "false", {}};
    return {type, type + "()", {}};
}

}  // namespace

RandomProgram reduce(RandomProgram program, const std::function<bool(const std::string&)>& holds,
                     int budget) {
    const auto still = [&] { return --budget >= 0 && holds(program.text()); };
    const auto ignore_block = [](Block&) {};
    const auto ignore_expression = [](Expression&) {};
    for (bool progress = true; progress && budget > 0;) {
        progress = false;
        std::vector<Block*> blocks;
        walk(
            program.functions, [&](Block& block) { blocks.push_back(&block); }, ignore_expression);
        walk(
            program.body, [&](Block& block) { blocks.push_back(&block); }, ignore_expression);
        for (std::size_t i = 0; i < blocks.size() && budget > 0; ++i) {
            for (std::size_t at = blocks[i]->size(); at-- > 0;) {
                Statement taken =
                    std::move((*blocks[i])[at]);  // moved, so that its children keep their addresses
                blocks[i]->erase(blocks[i]->begin() + static_cast<std::ptrdiff_t>(at));
                if (still()) {
                    progress = true;
                    break;
                }
                blocks[i]->insert(blocks[i]->begin() + static_cast<std::ptrdiff_t>(at), std::move(taken));
            }
            if (progress) break;  // its children are gone: visit again
        }
        if (progress) continue;
        std::vector<Expression*> expressions;
        const auto gather = [&](Expression& expression) { all_expressions(expression, expressions); };
        walk(program.functions, ignore_block, gather);
        walk(program.body, ignore_block, gather);
        for (std::size_t i = 0; i < expressions.size() && !progress && budget > 0; ++i) {
            if (expressions[i]->arguments.empty()) continue;
            const std::string type = expressions[i]->type;
            std::vector<Expression> simpler{simplest(type)};
            for (const Expression& argument : expressions[i]->arguments) {
                if (argument.type == type) simpler.push_back(argument);
            }
            Expression taken = std::move(*expressions[i]);
            for (const Expression& candidate : simpler) {
                *expressions[i] = candidate;
                if ((progress = still())) break;
            }
            if (!progress) *expressions[i] = std::move(taken);
        }
    }
    return program;
}

}  // namespace muster::testing
