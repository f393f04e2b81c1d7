#include <muster/graph/ir/element_type.hpp>

namespace muster::graph {

std::optional<ElementType> element_type_by_name(std::string_view name) {
    for (const ElementTypeInfo& row : element_types) {
        if (row.name == name) return row.type;
    }
    return std::nullopt;
}

std::optional<ElementType> element_type_by_onnx(std::int64_t number) {
    for (const ElementTypeInfo& row : element_types) {
        if (row.onnx == number) return row.type;
    }
    return std::nullopt;
}

std::string to_string(ElementTypeSet set) {
    std::string text;
    for (const ElementTypeInfo& row : element_types) {
        if (!set.contains(row.type)) continue;
        if (!text.empty()) text += ", ";
        text += row.name;
    }
    return text;
}

}  // namespace muster::graph
