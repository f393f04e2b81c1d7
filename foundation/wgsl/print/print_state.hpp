// print_state.hpp - prints one program. Internal to print*.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/wgsl/print/print_names.hpp>
#include <muster/foundation/wgsl/print/print_types.hpp>

namespace muster::wgsl {

class Printer {
  public:
    explicit Printer(const Program& program);
    std::string run() &&;

  private:
    // print.cpp: module scope.
    NameSet outer_names();
    std::string extensions() const;
    bool subgroups_may_diverge() const;
    bool leaves_uniformity() const;
    void module_constants();
    void constants_at_run_time();
    std::vector<NodeId> written_once() const;
    void module_variables();
    void entry_point();
    void count_uses();

    // print_statement.cpp
    void block(BlockId id);
    bool is_uniform_load(std::span<const NodeId> nodes) const;
    bool reads_workgroup_memory(NodeId id) const;
    void statement(NodeId id);
    void value_statement(NodeId id);
    void let(NodeId id, const std::string& value);
    void control(NodeId id);
    void if_statement(NodeId id);
    void loop_statement(NodeId id);
    void switch_statement(NodeId id);
    void line(std::string_view text);

    // print_expression.cpp: the text of values. Declarations that a value needs are
    // printed as lines before it.
    std::string value(NodeId id);
    std::string constant(NodeId id);
    std::string reference(NodeId id);
    std::string index(NodeId composite, NodeId index);
    std::string expression(NodeId id);
    std::string operation(NodeId id);
    std::string extract(NodeId id);
    std::string atomic(NodeId id);
    std::string call(std::string_view function, std::span<const std::string> arguments) const;
    std::string component(Scalar scalar, std::uint64_t word);
    /// Prints a `let` of the constant and returns its name, so that its use isn't a const-expression.
    std::string at_run_time(const std::string& constant);
    bool is_constant(NodeId id) const { return program_.node(id).op == Op::constant; }
    bool must_hide(NodeId id, std::uint32_t operand) const;
    std::vector<std::uint32_t> words(NodeId id) const;

    const Program& program_;
    PredeclaredWords word_;
    NameSet names_;
    TypePrinter types_;
    std::vector<std::string> value_names_;  // by node: placed nodes, and constants declared at module scope
    std::vector<std::string> variable_names_;  // by variable
    std::array<std::string, builtin_count> builtin_names_;
    std::vector<std::uint32_t> uses_;  // by node
    std::string out_;
    std::size_t indent_ = 0;
    bool reads_between_barriers_ = false;  // workgroup memory, other than by workgroupUniformLoad
};

}  // namespace muster::wgsl
