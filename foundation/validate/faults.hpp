// faults.hpp - collects the faults that validation finds into one error. Internal to validate.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/validate/non_uniform.hpp>

namespace muster::validation {

/// Collects faults in the order found: at most `limit`, at most one per node.
class Faults {
  public:
    static constexpr std::size_t limit = 20;

    explicit Faults(const Program& program) : program_(program) {}

    /// Adds a fault of a node, of a variable, or of the whole program.
    void add(NodeId node, std::string message, std::string fix);
    void add(const Variable& variable, std::string message, std::string fix);
    void add(std::string message, std::string fix);
    /// Adds a fault of a barrier or subgroup operation: `branch` decides which invocations get there.
    void add_non_uniform(NodeId node, NodeId branch, std::string message, std::string fix);

    bool none() const { return diagnostics_.empty(); }
    bool full() const { return diagnostics_.size() >= limit; }
    /// Returns an invalid_program error with each fault rendered as source.hpp describes. Precondition:
    /// !none().
    Error error() const;
    /// The faults, if all are of this kind; else nothing.
    std::vector<NonUniform> only_non_uniform() const;

    /// `kernel.wgsl:7:5`, or "an unknown place".
    std::string place(NodeId node) const;

  private:
    void add(SourceLocation where, std::string message, std::string fix);
    std::string render(const Diagnostic& diagnostic) const;

    const Program& program_;
    std::vector<Diagnostic> diagnostics_;
    std::vector<NonUniform> non_uniform_;  // those of the diagnostics that are of this kind
    std::set<NodeId> faulty_;
};

}  // namespace muster::validation
