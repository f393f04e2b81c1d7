// importer.hpp - makes a graph of what a file says. Internal to graph/onnx.
#pragma once

#include <deque>
#include <unordered_map>

#include <muster/graph/onnx/draft.hpp>
#include <muster/graph/onnx/import.hpp>
#include <muster/graph/onnx/order.hpp>
#include <muster/graph/onnx/tensor_reader.hpp>

namespace muster::graph::onnx {

// Limits of what a small file can ask for. Calls of functions and branches add: nodes, and bytes of names and
// attributes, since functions that each call the next twice would add without end;
inline constexpr std::size_t max_inlined_nodes = 1'000'000, max_inlined_bytes = std::size_t{1} << 28;
/// they lie within each other so deep;
inline constexpr std::size_t max_nesting = 64;
/// attributes of a node, and imports of opsets;
inline constexpr std::size_t max_listed = 1000;
/// bytes of a dimension's name;
inline constexpr std::size_t max_symbol_bytes = 256;
/// bytes that the shapes, and contents that are followed, of all values take, roughly.
inline constexpr std::size_t max_fact_bytes = std::size_t{1} << 31;

/// True of ONNX's own domain.
inline bool is_standard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

class Importer {
  public:
    /// `options` must outlive it.
    Importer(const FileModel& model, const ImportOptions& options, std::filesystem::path folder);
    Result<Graph> import() &&;
    /// The inputs that have no initialiser; nothing else is read.
    Result<std::vector<Value>> inputs() &&;

  private:
    /// A name's meaning: a value, or a tensor that becomes one where it is read first.
    struct Bound {
        ValueId value;
        const FileTensor* tensor = nullptr;
    };
    using Opsets = std::span<const FileOpset>;
    /// The attributes that a function is called with.
    struct Call {
        const FileFunction* function;
        const Call* caller;
        std::vector<const FileAttribute*> attributes;
    };
    /// The names of one graph, branch or function's body.
    struct Scope {
        Scope* outside = nullptr;    // of a branch: what it also sees
        const Call* call = nullptr;  // in a function's body
        Opsets opsets = {};
        std::size_t depth = 0;    // how many bodies it lies in
        std::string prefix = {};  // of values' names
        std::unordered_map<std::string_view, Bound> names = {};
        std::unordered_map<std::string_view, std::string> called =
            {};  // outputs of a body, by the names they get
    };

    Result<void> add_model();
    Result<void> check_lists() const;
    Result<void> count_inlined(const FileNode& node, const Scope& scope);
    Result<void> count_facts(ValueId value);
    Result<void> add_inputs();
    Result<void> check_constant(const FileValue& input, const Tensor& given);
    Result<void> check_sizes() const;
    Result<void> add_outputs();
    Result<TensorType> type_of(const FileValue& value);
    Result<Dimension> dimension_of(const FileDimension& from, const FileValue& value, std::size_t at);
    Dimension with_given_sizes(const Dimension& dimension);
    Result<void> bind_initializers(const FileGraph& graph, Scope& scope);
    Result<void> bind(Scope& scope, std::string_view name, Bound bound);

    Result<void> add_nodes(std::span<const FileNode> nodes, const std::vector<std::string_view>& outputs,
                           Scope& scope);
    Result<void> add_node(const FileNode& node, const std::unordered_set<std::string_view>& read,
                          Scope& scope);
    Result<void> add_constant(const FileNode& node, Scope& scope);
    Result<void> add_branch(const FileNode& node, Scope& scope);
    Result<void> add_call(const FileNode& node, const FileFunction& function, Scope& scope);
    Result<void> add_operator(const FileNode& node, int opset,
                              const std::unordered_set<std::string_view>& read, Scope& scope);
    Result<void> add_body(std::span<const FileNode> nodes, std::vector<std::string_view> outputs,
                          const FileNode& node, Scope& inside, Scope& scope);

    Result<ValueId> value_of(std::string_view name, const FileNode& node, Scope& scope);
    Result<ValueId> made(const std::string& name, Bound& bound);
    Result<Attribute> attribute_of(const FileAttribute& from);
    /// The node's attributes, with those of the call in place of references.
    static std::vector<std::pair<std::string_view, const FileAttribute*>> attributes_of(const FileNode& node,
                                                                                        const Scope& scope);
    std::string name_of(std::string_view name, const Scope& scope);
    const FileFunction* function_of(const FileNode& node) const;
    Result<int> opset_of(const Scope& scope) const;

    const FileModel& model_;
    const ImportOptions& options_;
    TensorReader tensors_;
    GraphBuilder builder_;
    Names names_;
    Scope top_;
    std::deque<FileTensor> own_tensors_;  // of Constants that say numbers instead of a tensor
    std::unordered_map<std::string_view, Operator> operators_;
    std::unordered_map<std::string, const FileFunction*> functions_;
    std::unordered_set<std::string_view> graph_outputs_;
    std::unordered_set<std::string_view> symbols_;     // that inputs have
    std::unordered_set<std::string_view> used_sizes_;  // of ImportOptions::sizes
    std::size_t inlined_nodes_ = 0, inlined_bytes_ = 0, fact_bytes_ = 0;
};

}  // namespace muster::graph::onnx
