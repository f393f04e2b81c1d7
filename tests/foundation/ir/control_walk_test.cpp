// Control flow lowered to blocks and branches by a ControlWalk: whatever conditions decide, the blocks execute the operations
// that the program's own structure says.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "foundation/ir/block_lowering.hpp"
#include "support/parse.hpp"
#include "support/random_program.hpp"

using namespace muster;
using test::BlockLowering;

namespace {

constexpr std::size_t most_steps = 2000;

/// The operations that an execution comes by, by node, and whether it ended.
struct Trace {
    std::vector<std::uint32_t> operations;
    bool ended = false;
};

/// Decides each branch: the same seed gives the same decisions in the same order.
class Decisions {
  public:
    explicit Decisions(std::uint32_t seed) : state_(seed) {}
    std::size_t below(std::size_t count) {
        state_ = state_ * 1664525u + 1013904223u;
        return (state_ >> 16) % count;
    }

  private:
    std::uint32_t state_;
};

/// Executes a program by its structure.
class StructureRun {
  public:
    StructureRun(const Program& program, std::uint32_t seed) : program_(program), decisions_(seed) {
        trace_.ended = block(program.body()) != Way::cut;
    }
    const Trace& trace() const { return trace_; }

  private:
    enum class Way { end, leave, go_on, done, cut };

    Way block(BlockId id) {
        for (const NodeId node : program_.block(id)) {
            if (++steps_ > most_steps) return Way::cut;
            if (const Way way = step(node); way != Way::end) return way;
        }
        return Way::end;
    }
    Way step(NodeId node) {
        const Op op = program_.node(node).op;
        const auto blocks = program_.blocks(node);
        const auto left = [](Way way) { return way == Way::leave ? Way::end : way; };
        if (op == Op::if_) return block(blocks[1 - decisions_.below(2)]);
        if (op == Op::scope) return left(block(blocks[0]));
        if (op == Op::switch_)
            return left(block(program_.switch_cases(node)[decisions_.below(blocks.size())].block));
        if (op == Op::loop) return left(loop(blocks));
        if (op == Op::break_) return Way::leave;
        if (op == Op::continue_) return Way::go_on;
        if (op == Op::return_) return Way::done;
        if (op == Op::break_if) return decisions_.below(2) == 1 ? Way::leave : Way::end;
        trace_.operations.push_back(node.index);
        return Way::end;
    }
    Way loop(std::span<const BlockId> blocks) {
        while (++steps_ <= most_steps) {
            Way way = block(blocks[0]);
            if (way == Way::end || way == Way::go_on) way = block(blocks[1]);
            if (way != Way::end) return way;
        }
        return Way::cut;
    }

    const Program& program_;
    Decisions decisions_;
    Trace trace_;
    std::size_t steps_ = 0;
};

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

/// Executes a text of blocks.
Trace run_blocks(const std::string& text, std::uint32_t seed) {
    std::map<std::string, std::vector<std::vector<std::string>>> blocks;
    std::istringstream in(text);
    std::string number = "0";
    for (std::string line; std::getline(in, line);) {
        const auto words = words_of(line);
        if (words[0] == "block") {
            number = words[1];
            REQUIRE(!blocks.contains(number));
        } else {
            blocks[number].push_back(words);
        }
    }
    for (const auto& [each, lines] : blocks)
        for (const auto& line : lines) CHECK((line[0][0] == '%') == (&line != &lines.back()));

    Trace trace;
    Decisions decisions(seed);
    number = "0";
    for (std::size_t steps = 0; steps < most_steps; ++steps) {
        REQUIRE(blocks.contains(number));
        const auto& lines = blocks[number];
        for (const auto& line : lines)
            if (line[0][0] == '%')
                trace.operations.push_back(static_cast<std::uint32_t>(std::atoi(line[0].c_str() + 1)));
        const auto& jump = lines.back();
        if (jump[0] == "return") {
            trace.ended = true;
            break;
        }
        if (jump[0] == "jump") number = jump[1];
        if (jump[0] == "branch") number = jump[decisions.below(2) == 1 ? 2 : 3];
        if (jump[0] == "switch") {
            std::vector<std::string> targets;  // in the order of the cases
            for (std::size_t i = 2; i < jump.size(); ++i) {
                const std::string target = jump[i].substr(jump[i].find(':') + 1);
                if (targets.empty() || targets.back() != target) targets.push_back(target);
            }
            number = targets[decisions.below(targets.size())];
        }
    }
    return trace;
}

/// Compares executions of the program and of its blocks; one that was cut off, as far as both went.
void check_blocks(const Program& program) {
    const std::string text = BlockLowering(program).text();
    CAPTURE(text);
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
        Trace expected = StructureRun(program, seed).trace(), actual = run_blocks(text, seed);
        if (!expected.ended || !actual.ended) {
            const std::size_t both = std::min(expected.operations.size(), actual.operations.size());
            expected.operations.resize(both);
            actual.operations.resize(both);
        }
        CHECK(expected.operations == actual.operations);
    }
}

}  // namespace

TEST_CASE("a lowering to blocks and branches keeps a program's order") {
    const Program program = test::parse(test::in_main(R"(
    var at = n;
    loop {
        if f[at] < 0.0 { continue; }
        switch at {
            case 1, 2: { u[at] = 1; break; }
            case 3: { continue; }
            default: { if f[at] > 9.0 { return; } }
        }
        u[at] += 1;
        continuing {
            at += 1;
            break if at > 9;
        }
    }
    loop { if u[0] == 7 { return; } }
)"));
    check_blocks(program);
    const std::string text = BlockLowering(program).text();
    CHECK(text.find("  switch %") != std::string::npos);
    CHECK_MESSAGE(std::ranges::count(words_of(text), "return") == 2, text);  // nothing leaves the last loop
}

TEST_CASE("random programs keep their order in blocks") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        check_blocks(test::parse(testing::random_program(seed).text()));
    }
}

TEST_CASE("docs/ir.md shows the lowering to blocks of these tests") {
    const auto contents = [](const std::string& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    };
    const std::string header = contents(MUSTER_SOURCE "/tests/foundation/ir/block_lowering.hpp");
    const std::size_t begin = header.find("/// The numbers"), end = header.find("// clang-format on");
    REQUIRE(begin < end);
    CHECK(contents(MUSTER_SOURCE "/docs/ir.md").find(header.substr(begin, end - begin)) != std::string::npos);
}
