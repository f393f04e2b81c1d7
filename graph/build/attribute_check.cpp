#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/build/attribute_check.hpp>

namespace muster::graph {
namespace {

bool is_default(const OperatorInfo& schema, const NamedAttribute& attribute) {
    const AttributeInfo* row = schema.attribute(attribute.name);
    if (row->default_text.empty()) return false;
    const Attributes none(schema, {});
    if (row->kind == AttributeKind::integer)
        return std::get<std::int64_t>(attribute.value) == none.integer(row->name);
    if (row->kind == AttributeKind::number) return std::get<float>(attribute.value) == none.number(row->name);
    if (row->kind == AttributeKind::text)
        return std::get<std::string>(attribute.value) == none.text(row->name);
    return false;
}

Result<void> check_attribute(const OperatorInfo& schema, const NamedAttribute& attribute) {
    const AttributeInfo* row = schema.attribute(attribute.name);
    if (!row) {
        return fail(ErrorCode::invalid_program,
                    fmt::format("{} has no attribute {}.", schema.name, printable(attribute.name)));
    }
    if (row->kind == kind(attribute.value)) return {};
    return fail(ErrorCode::invalid_program,
                fmt::format("The attribute {} is of kind {}, and must be of kind {}.", row->name,
                            name(kind(attribute.value)), name(row->kind)));
}

}  // namespace

Result<void> check_attributes(const OperatorInfo& schema, std::span<const NamedAttribute> attributes) {
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        TRY(check_attribute(schema, attributes[i]));
        for (std::size_t before = 0; before < i; ++before) {
            if (attributes[before].name != attributes[i].name) continue;
            return fail(ErrorCode::invalid_program,
                        fmt::format("The attribute {} is given twice.", attributes[i].name));
        }
    }
    for (const AttributeInfo& row : schema.attributes.all()) {
        if (!row.required ||
            std::ranges::find(attributes, row.name, &NamedAttribute::name) != attributes.end())
            continue;
        return fail(ErrorCode::invalid_program, fmt::format("The attribute {} is missing.", row.name));
    }
    return {};
}

void make_canonical(const OperatorInfo& schema, std::vector<NamedAttribute>& attributes) {
    std::erase_if(attributes, [&](const NamedAttribute& attribute) { return is_default(schema, attribute); });
    std::ranges::sort(attributes, {}, &NamedAttribute::name);
}

}  // namespace muster::graph
