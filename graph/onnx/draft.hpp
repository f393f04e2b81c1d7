// draft.hpp - a node on its way from the file's form to the canonical one. Internal to graph/onnx.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <muster/graph/build/graph_builder.hpp>

namespace muster::graph::onnx {

inline std::unexpected<Error> wrong(std::string message) {
    return fail(ErrorCode::invalid_program, std::move(message));
}

/// Gives names that no value of the model has.
class Names {
  public:
    explicit Names(const GraphBuilder& builder) : builder_(builder) {}
    /// Keeps a name for a value that the builder will have later. The text must stay.
    void keep(std::string_view name) { kept_.insert(name); }
    void reserve(std::size_t count) { kept_.reserve(count); }
    /// `base`, or it with a number behind it; the next call gives another name.
    std::string fresh(std::string base);

  private:
    const GraphBuilder& builder_;
    std::unordered_set<std::string_view> kept_;
    std::deque<std::string> given_;
    std::unordered_map<std::string, std::size_t> numbers_;  // the last behind each base
};

struct Draft {
    GraphBuilder& builder;
    Names& names;
    std::string_view op;  // ONNX's name; a rewrite may put another in its place
    int opset = 0;
    std::string name;                       // the node's
    std::vector<ValueId> inputs = {};       // absent: ValueId()
    std::vector<std::string> outputs = {};  // absent: ""
    std::vector<NamedAttribute> attributes = {};

    bool has(std::size_t input) const { return input < inputs.size() && inputs[input]; }
    const ValueFact& fact(std::size_t input) const { return builder.fact(inputs[input]); }
    const Attribute* find(std::string_view attribute) const;
    /// The attribute, which the draft then no longer has.
    std::optional<Attribute> take(std::string_view attribute);
    void set(std::string_view attribute, Attribute value);
    /// Adds a constant called like the first output with `suffix`.
    Result<ValueId> constant(std::string_view suffix, Tensor tensor);
    /// Adds a node before this one, with one output called likewise.
    Result<ValueId> before(Operator added, std::vector<ValueId> of, std::string_view suffix,
                           std::vector<NamedAttribute> with = {});
};

/// True of an operator that graphs here don't have and rewrite() makes others of.
bool becomes_others(std::string_view op);

/// Rewrites a node of an older opset into the canonical form, by the one table in rewrite.cpp. Precondition:
/// input 0 isn't absent. Errors: unsupported, invalid_program.
Result<void> rewrite(Draft& draft);

}  // namespace muster::graph::onnx
