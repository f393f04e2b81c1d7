// literals.hpp - names, numbers and tensors' contents in the textual form of graphs.
// Internal to graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <muster/graph/ir/attribute.hpp>

namespace muster::graph {

/// A name as it is, if it is a plain word, and else quoted.
std::string print_name(std::string_view name);
std::string print_string(std::string_view text);
std::string print_number(float number);  // the shortest text that gives the same bits; nan, inf, -inf
/// The type and the contents: `f32[2] = [1, 2]`.
std::string print_tensor(const Tensor& tensor);
std::string print_attribute(const Attribute& attribute);
std::string print_dimension(const Dimension& dimension);
std::string print_type(const TensorType& type);

/// The text that a string's escapes stand for; none if one isn't known.
std::optional<std::string> read_string(std::string_view escaped);
std::optional<std::int64_t> read_integer(std::string_view text);
std::optional<float> read_number(std::string_view text);
/// Appends an element's bytes. False if the type has no such value.
bool append_element(std::vector<std::byte>& bytes, ElementType element, std::string_view text);
/// The bytes that pairs of hexadecimal digits stand for; none if they aren't that.
std::optional<std::vector<std::byte>> read_hex(std::string_view digits);

}  // namespace muster::graph
