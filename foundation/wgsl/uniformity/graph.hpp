// graph.hpp - the graph that WGSL's uniformity analysis makes of one function, and its
// searches. Internal to this room.
//
// A node is a statement such as "this value is uniform" or "control flow is uniform here", an edge an
// implication: what an edge starts from is uniform only if what it leads to is. WGSL's node MayBeNonUniform
// is a Source here, and its nodes RequiredToBeUniform are the Requirements. Source: WGSL section "Analyzing
// the Uniformity Requirements of a Function".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <muster/foundation/base/source.hpp>

namespace muster::wgsl::uniformity {

using Node = std::uint32_t;
inline constexpr Node no_node = UINT32_MAX;

/// The invocations over which something must be uniform: for barriers a workgroup's, for subgroup
/// operations a subgroup's.
enum class Scope : std::uint8_t { workgroup, subgroup };

/// Why a value may differ between invocations.
struct Source {
    enum class Kind : std::uint8_t {
        builtin,  // name: the built-in value
        member,   // name: that of a structure of built-in values that aren't all uniform
        input,    // name: a parameter of an entry point of another stage
        memory,   // name: the variable that is read
        pointer,  // name: the parameter through which memory is read
        result,   // name: the function that gives it
    };
    Kind kind = Kind::memory;
    std::string_view name;
    SourceLocation where;
    bool is_subgroup_uniform = false;  // differs between the subgroups of a workgroup alone

    bool counts_in(Scope scope) const { return scope == Scope::workgroup || !is_subgroup_uniform; }
};

/// Something that must be uniform, and the call that needs it.
struct Requirement {
    Scope scope = Scope::workgroup;
    std::string_view function;  // the built-in function
    std::uint8_t argument = 0;  // of that function, from 1; 0: control flow at the call
    SourceLocation where;       // the built-in function's call
    SourceLocation via;         // if that is in a function that this one calls: the call here
    SourceLocation branch;      // if that function decides by an argument whether it gets there: where
};

class Graph {
  public:
    Node add() { return nodes_++; }
    void edge(Node from, Node to) {
        if (from != no_node && to != no_node && from != to) edges_.emplace_back(from, to);
    }
    /// A node that is uniform only if all of these are; `no_node` stands for what always is.
    Node join(std::initializer_list<Node> of);
    /// A node that isn't uniform.
    Node source(Source source) {
        sources_.emplace_back(add(), source);
        return nodes_ - 1;
    }
    void source(Node at, Source source) { sources_.emplace_back(at, source); }
    /// A node for the control flow behind a condition, which control flow `before` evaluates.
    Node branch(Node condition, Node before, SourceLocation where);
    void require(Node node, const Requirement& what) { requirements_.emplace_back(node, what); }

    std::size_t nodes() const { return nodes_; }
    std::span<const std::pair<Node, Node>> edges() const { return edges_; }
    std::span<const std::pair<Node, Source>> sources() const { return sources_; }
    std::span<const std::pair<Node, Requirement>> requirements() const { return requirements_; }
    /// The branch that decides a way from something that must be uniform to why it isn't: the first one on it
    /// whose condition isn't reached by way of the control flow around it. Line 0: by none.
    SourceLocation decided_at(std::span<const Node> way) const;

  private:
    Node nodes_ = 0;
    std::vector<std::pair<Node, Node>> edges_;
    std::vector<std::pair<Node, Source>> sources_;
    std::vector<std::pair<Node, Requirement>> requirements_;
    struct Branch {
        Node before;
        SourceLocation where;
    };
    std::unordered_map<Node, Branch> branches_;
};

/// The edges by the node that they start from, or lead to.
class Neighbours {
  public:
    enum class Along : std::uint8_t { edges, against };
    Neighbours(const Graph& graph, Along along);
    std::span<const Node> operator[](Node node) const {
        return std::span(ends_).subspan(first_[node], first_[node + 1] - first_[node]);
    }
    std::size_t nodes() const { return first_.size() - 1; }

  private:
    std::vector<std::uint32_t> first_;
    std::vector<Node> ends_;
};

/// A search, breadth first: the nodes that it reached, and on which shortest way.
class Reached {
  public:
    Reached(const Neighbours& neighbours, std::span<const Node> starts);
    bool operator[](Node node) const { return before_[node] != no_node; }
    /// The way from a node that was reached back to its start, both included.
    std::vector<Node> way_from(Node node) const;

  private:
    std::vector<Node> before_;  // a start has itself
};

}  // namespace muster::wgsl::uniformity
