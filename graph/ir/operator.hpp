// operator.hpp - the operators of graphs: ONNX's, by name and meaning, with schemas of our own in operators.def.
//
//     info(Operator::conv).name == "Conv"
//     info(Operator::conv).attribute("group")->default_text == "1"
//
// An operator has one form here, that of the newest opset in which its form changed (`form`); who imports a
// model of an older opset rewrites its nodes into it. What that means for older nodes:
//   axes, split, pads, starts, ends, K, shape, repeats, min, max, ratio: inputs, not attributes
//     (Squeeze, Unsqueeze, Reduce*, Split, Pad, Slice, TopK, Reshape, Tile, Clip, Dropout)
//   broadcasting: NumPy's, from the right; there are no attributes `axis` and `broadcast`
//   Softmax: along one axis, -1 by default; before opset 13 it flattened, and the default was 1
//   BatchNormalization, Dropout: inference only; there is no training_mode
//   Cast: `to` is ONNX's number of the type
// There is no Constant: a constant is a value of the graph without a node (Graph::Value::constant). There is
// no If: one with a constant condition is its branch's nodes.
//
// Element types: a column of operators.def. A name in capitals is a variable: all inputs and outputs
// that have it have one type.
//
// Threads: constant data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/element_type.hpp>

namespace muster::graph {

enum class Operator : std::uint8_t {
#define MUSTER_OPERATOR(op, ...) op,
#include <muster/graph/ir/operators.def>
};
inline constexpr Operator every_operator[] = {
#define MUSTER_OPERATOR(op, ...) Operator::op,
#include <muster/graph/ir/operators.def>
};
inline constexpr std::size_t operator_count = std::size(every_operator);

/// An input or output of an operator.
struct Port {
    std::string_view name;
    char variable = 0;  // the type variable, or 0: any type of `allowed`, which is then one
    ElementTypeSet allowed;
    bool optional = false;
    bool variadic = false;  // one or more; only the last
    bool constant = false;  // kernels are made for its elements, which must be known before
};

struct AttributeInfo {
    std::string_view name;
    AttributeKind kind = AttributeKind::integer;
    std::string_view default_text;  // empty: no default
    bool required = false;
};

template <class T, std::size_t most>
struct Row {  // a short list, in constant data
    std::array<T, most> items{};
    std::uint8_t count = 0;
    constexpr void push(const T& item) { items.at(count++) = item; }
    constexpr std::span<const T> all() const { return {items.data(), count}; }
};

struct OperatorInfo {
    Operator op{};
    std::string_view name;   // ONNX's
    std::uint8_t since = 7;  // the opset that has it first; 7 stands for 7 or before
    std::uint8_t form = 7;   // the opset whose form it has here
    Row<Port, 9> inputs;
    Row<Port, 4> outputs;
    Row<AttributeInfo, 11> attributes;
    // Further properties of an operator; the default is always the careful answer.
    bool is_elementwise =
        false;                // each element of the first output depends on one element of each input alone
    bool is_product = false;  // element-wise operators can follow it in one kernel
    bool is_spatial =
        false;             // goes over the pixels of [N, C, ...], and so reads and writes channels together
    bool is_view = false;  // moves, drops or repeats elements so that a view can often tell where they are
    bool only_moves = false;  // makes no numbers: each element of the first output is one of the first input

    /// The row of an attribute; null if the operator has none of that name.
    const AttributeInfo* attribute(std::string_view attribute_name) const;
    std::size_t fewest_inputs() const;  // up to the last that isn't optional
    std::size_t most_inputs() const;    // SIZE_MAX if the last is variadic
    std::size_t fewest_outputs() const;
    std::size_t most_outputs() const;
    /// The port of an input or output by its position; a variadic one repeats.
    const Port& input(std::size_t at) const {
        return inputs.items[at < inputs.count ? at : inputs.count - 1u];
    }
    const Port& output(std::size_t at) const {
        return outputs.items[at < outputs.count ? at : outputs.count - 1u];
    }
};

/// All rows, in the enumeration's order.
std::span<const OperatorInfo> operators();
inline const OperatorInfo& info(Operator op) { return operators()[static_cast<std::size_t>(op)]; }
std::optional<Operator> operator_by_name(std::string_view name);

}  // namespace muster::graph
