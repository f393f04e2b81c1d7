// writer.hpp - the kernel's lines as they are made: indented, each with the node that it comes from.
//
//     writer.at(node);
//     writer.line("if (i < n) {");
//     writer.indent(); ... writer.outdent();
//     std::vector<Line> loop = writer.captured([&] { block(body); });   // to be placed later
//
// Threads: one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::cuda {

struct Line {
    std::string text;
    std::uint32_t indent = 0;
    NodeId node;            // none: it comes from nowhere in particular
    SourceLocation source;  // line 0: unknown
    bool is_assignment = false;
    /// `continue` of the loop that is this node, `text` to be chosen when the loop is done (lower_control.cpp).
    NodeId continues;
    bool leaves_scope = false;  // C++'s own continue would be another loop's
    /// Of `if (...) break;`: what holds where the loop goes on.
    std::string stays_while;
};

class Writer {
  public:
    explicit Writer(const Program& program) : program_(program) {}

    /// What the next lines come from.
    void at(NodeId node);
    NodeId at() const { return node_; }
    Line& line(std::string text);
    void indent() { ++indent_; }
    void outdent() { --indent_; }

    /// What `write` writes, one step further in, without placing it.
    template <class Write>
    std::vector<Line> captured(Write write) {
        std::vector<Line> outer = std::exchange(lines_, {});
        const NodeId before = node_;
        indent();
        write();
        outdent();
        at(before);
        return std::exchange(lines_, std::move(outer));
    }
    void place(std::vector<Line> lines);
    std::vector<Line> take() { return std::move(lines_); }

  private:
    const Program& program_;
    std::vector<Line> lines_;
    NodeId node_;
    SourceLocation source_;
    std::uint32_t indent_ = 0;
};

/// The text of lines that follow `before`, a text of its own, with #line directives where `debug`.
struct Assembled {
    std::string text;
    std::vector<DebugEntry> debug_map;
};
Assembled assemble(const Program& program, std::string before, const std::vector<Line>& lines, bool debug);

}  // namespace muster::cuda
