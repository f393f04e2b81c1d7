#include <array>
#include <charconv>

#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/operator.hpp>

namespace muster::graph {
namespace {

constexpr std::array<std::string_view, 7> kind_names{"int",  "float",  "string", "tensor",
                                                     "ints", "floats", "strings"};

template <class T>
T value_of(std::string_view text) {
    T value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

std::string_view name(AttributeKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

const Attribute* Attributes::find(std::string_view name) const {
    for (const NamedAttribute& attribute : said_) {
        if (attribute.name == name) return &attribute.value;
    }
    return nullptr;
}

std::string_view Attributes::default_text(std::string_view name) const {
    const AttributeInfo* row = schema_->attribute(name);
    return row ? row->default_text : std::string_view{};
}

std::int64_t Attributes::integer(std::string_view name) const {
    const Attribute* said = find(name);
    return said ? std::get<std::int64_t>(*said) : value_of<std::int64_t>(default_text(name));
}
float Attributes::number(std::string_view name) const {
    const Attribute* said = find(name);
    return said ? std::get<float>(*said) : value_of<float>(default_text(name));
}
std::string_view Attributes::text(std::string_view name) const {
    const Attribute* said = find(name);
    return said ? std::string_view(std::get<std::string>(*said)) : default_text(name);
}
std::span<const std::int64_t> Attributes::integers(std::string_view name) const {
    const Attribute* said = find(name);
    if (!said) return {};
    return std::get<std::vector<std::int64_t>>(*said);
}
std::span<const float> Attributes::numbers(std::string_view name) const {
    const Attribute* said = find(name);
    if (!said) return {};
    return std::get<std::vector<float>>(*said);
}
std::span<const std::string> Attributes::texts(std::string_view name) const {
    const Attribute* said = find(name);
    if (!said) return {};
    return std::get<std::vector<std::string>>(*said);
}
const Tensor* Attributes::tensor(std::string_view name) const {
    const Attribute* said = find(name);
    return said ? &std::get<Tensor>(*said) : nullptr;
}

}  // namespace muster::graph
