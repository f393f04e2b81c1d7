// attribute.hpp - the attributes of a node: typed constants by name, with the defaults that the
// operator's schema gives.
//
//     node.attributes().integer("axis")        // what the node says, or else the schema's default
//     node.attributes().has("axes")            // true if the node says it
//
// A node says only what differs from the default. Threads: values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/graph/ir/tensor.hpp>

namespace muster::graph {

/// In the order of AttributeKind.
using Attribute = std::variant<std::int64_t, float, std::string, Tensor, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>>;
enum class AttributeKind : std::uint8_t { integer, number, text, tensor, integers, numbers, texts };
inline AttributeKind kind(const Attribute& attribute) {
    return static_cast<AttributeKind>(attribute.index());
}
/// As the table of operators writes it: "int", "float", "string", "tensor", "ints", "floats", "strings".
std::string_view name(AttributeKind kind);

struct NamedAttribute {
    std::string name;
    Attribute value;
    bool operator==(const NamedAttribute&) const = default;
};

struct OperatorInfo;  // operator.hpp

/// The attributes of one node. Getters: precondition: the schema has the attribute, of that kind; one that is
/// neither said nor has a default is 0 or empty.
class Attributes {
  public:
    Attributes(const OperatorInfo& schema, std::span<const NamedAttribute> said)
        : schema_(&schema), said_(said) {}
    bool has(std::string_view name) const { return find(name) != nullptr; }
    std::int64_t integer(std::string_view name) const;
    bool flag(std::string_view name) const { return integer(name) != 0; }
    float number(std::string_view name) const;
    std::string_view text(std::string_view name) const;
    std::span<const std::int64_t> integers(std::string_view name) const;
    std::span<const float> numbers(std::string_view name) const;
    std::span<const std::string> texts(std::string_view name) const;
    /// Null if the node doesn't say it.
    const Tensor* tensor(std::string_view name) const;
    /// The attributes that the node says, by name.
    std::span<const NamedAttribute> said() const { return said_; }

  private:
    const Attribute* find(std::string_view name) const;
    std::string_view default_text(std::string_view name) const;

    const OperatorInfo* schema_;
    std::span<const NamedAttribute> said_;
};

}  // namespace muster::graph
