#include <algorithm>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/draft.hpp>

namespace muster::graph::onnx {

std::string Names::fresh(std::string base) {
    const auto taken = [&](const std::string& name) {
        return name.empty() || kept_.contains(name) || builder_.find(name);
    };
    std::string name = base;
    if (taken(name)) {
        std::size_t& number = numbers_.try_emplace(base, 1).first->second;
        while (taken(name)) name = fmt::format("{}.{}", base, ++number);
    }
    kept_.insert(given_.emplace_back(name));
    return name;
}

const Attribute* Draft::find(std::string_view attribute) const {
    const auto found = std::ranges::find(attributes, attribute, &NamedAttribute::name);
    return found == attributes.end() ? nullptr : &found->value;
}

std::optional<Attribute> Draft::take(std::string_view attribute) {
    const auto found = std::ranges::find(attributes, attribute, &NamedAttribute::name);
    if (found == attributes.end()) return std::nullopt;
    Attribute value = std::move(found->value);
    attributes.erase(found);
    return value;
}

void Draft::set(std::string_view attribute, Attribute value) {
    take(attribute);
    attributes.push_back({std::string(attribute), std::move(value)});
}

Result<ValueId> Draft::constant(std::string_view suffix, Tensor tensor) {
    return builder.constant(names.fresh(fmt::format("{}.{}", outputs[0], suffix)), std::move(tensor));
}

Result<ValueId> Draft::before(Operator added, std::vector<ValueId> of, std::string_view suffix,
                              std::vector<NamedAttribute> with) {
    NodeSpec spec{.op = added, .name = name, .inputs = std::move(of)};
    spec.outputs.push_back(names.fresh(fmt::format("{}.{}", outputs[0], suffix)));
    spec.attributes = std::move(with);
    const std::vector<ValueId> made = TRY(builder.node(std::move(spec)));
    return made[0];
}

}  // namespace muster::graph::onnx
