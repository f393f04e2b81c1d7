#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/rewrite/conversion_site.hpp>
#include <muster/graph/rewrite/fold.hpp>

namespace muster::graph {

std::string ConversionSite::label() const {
    if (!draft_.node(node_).name.empty() || !output_) return draft_.label(node_);
    return fmt::format("that makes \"{}\" ({})", printable(draft_.value(output_).name), info(op()).name);
}

std::optional<NodeId> ConversionSite::maker(ValueId value) const {
    const NodeId id = value ? draft_.value(value).producer : NodeId{};
    if (!id || draft_.node(id).outputs[0] != value) return std::nullopt;
    for (std::size_t i = 1; i < draft_.node(id).outputs.size(); ++i) {
        if (draft_.node(id).outputs[i] && draft_.is_used(draft_.node(id).outputs[i])) return std::nullopt;
    }
    return id;
}

Result<ValueId> ConversionSite::add_node(NodeSpec spec) {
    spec.name.clear();
    const ValueId value = TRY(draft_.add_node(std::move(spec), node_, output()));
    added_.push_back(draft_.value(value).producer);
    return value;
}

ConversionOutcome ConversionSite::fold() {
    return graph::fold(draft_, node_) ? ConversionOutcome{.kind = ConversionOutcome::Kind::folded}
                                      : ConversionOutcome::no_match();
}

ConversionOutcome ConversionSite::remove_if_unused() {
    return draft_.remove_unused(node_) > 0 ? ConversionOutcome{.kind = ConversionOutcome::Kind::removed}
                                           : ConversionOutcome::no_match();
}

}  // namespace muster::graph
