// element_expression.hpp - the operators that work element by element, as expressions of WGSL: what
// evaluate() defines, bit for bit in exact mode.
#pragma once

#include <span>
#include <string>

#include <muster/graph/ir/graph.hpp>
#include <muster/graph/kernel_text/kernel_text.hpp>

namespace muster::graph {

/// True if the node has one output, each element of which depends on one element of each input alone.
/// QuantizeLinear and DequantizeLinear are among these if they have one scale.
bool is_elementwise(const Graph& graph, NodeId node);

/// The node's element, from those of its inputs (f32 or i32; "" if absent), rounded or wrapped to the type of
/// its output. Adds the functions that it needs to the text.
std::string element_expression(const Graph& graph, NodeId node, std::span<const std::string> inputs,
                               KernelText& text);
/// round(x) + zero point, saturated to i8 or u8, as QuantizeLinear does; x is f32, the zero point i32.
std::string saturated(std::string_view x, std::string_view zero_point, ElementType element, KernelText& text);
/// The smaller ("min") or greater ("max") of two floats, as Min and Max have it: a NaN
/// if one of them is a NaN.
std::string extreme_or_nan(std::string_view which, std::string_view a, std::string_view b, KernelText& text);
/// pow of two floats, as Pow has it, which is C's: also where the device's own knows no
/// zeros, infinities and NaN.
std::string power(std::string_view x, std::string_view y, KernelText& text);
/// The value rounded or wrapped to an element type.
std::string rounded(ElementType element, std::string_view value);

}  // namespace muster::graph
