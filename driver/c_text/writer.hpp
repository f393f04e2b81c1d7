// writer.hpp - collects the kernel's lines, indented, each with the node that it comes from.
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

namespace muster::c_text {

struct Line {
    std::string text;
    std::uint32_t indent = 0;
    NodeId node;            // none: the line has no single origin
    SourceLocation source;  // line 0: unknown
    bool is_assignment = false;
    /// If set: this line is `continue` of that loop; its text is chosen when the loop is complete
    /// (control.cpp).
    NodeId continues;
    bool leaves_scope = false;  // C's own continue would apply to a scope's do-loop instead
    /// For `if (...) break;`: the condition under which the loop goes on.
    std::string stays_while;
};

class Writer {
  public:
    explicit Writer(const Program& program) : program_(program) {}

    /// Sets the origin of the lines that follow.
    void at(NodeId node);
    NodeId at() const { return node_; }
    Line& line(std::string text);
    void indent() { ++indent_; }
    void outdent() { --indent_; }

    /// Returns the lines that `write` writes, indented one level further, without placing them.
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

  private:
    const Program& program_;
    std::vector<Line> lines_;
    NodeId node_;
    SourceLocation source_;
    std::uint32_t indent_ = 0;
};

/// The text `before` followed by the lines, with #line directives if `debug`.
struct Assembled {
    std::string text;
    std::vector<DebugEntry> debug_map;
};
Assembled assemble(const Program& program, std::string before, const std::vector<Line>& lines, bool debug);

}  // namespace muster::c_text
