#include <algorithm>
#include <utility>

#include <muster/backend-cpu/compiler/lowering/kept_values.hpp>

namespace muster::cpu {

void KeptValues::lay_out() {
    for (const NodeId node : plan_.kept())
        kept_at_[node.index] =
            scratch_.take_in_record(types_.scalar_words(program_.type(node)), stride_of(node));
}

std::uint64_t KeptValues::stride_of(NodeId node) const {
    const std::uint64_t words = std::min(types_.scalar_words(program_.type(node)), Shapes::max_words);
    for (std::uint64_t w = 0; w < words; ++w)
        if (shapes_.of(node, w).is_varying()) return 4 * std::uint64_t{width_};
    return 4;
}

void KeptValues::keep(NodeId node) {
    if (plan_.is_kept(node)) {
        const Lanes lanes = values_.value(node);
        const std::uint64_t stride = stride_of(node);
        Value* record = scratch_.in_record(kept_at_.at(node.index));
        for (std::size_t w = 0; w < lanes.size(); ++w)
            b_.store_lane(b_.offset_pointer(record, w * stride), lanes[w].value);
    }
    if (plan_.is_decisive(node)) b_.CreateStore(b_.one_of(values_.word(node, 0)), slot_of_decision(node));
}

void KeptValues::restore(const PlanRegion& region) {
    for (const NodeId node : region.restored) {
        const auto words = words_of(program_.type(node));
        const std::uint64_t stride = stride_of(node);
        Value* record = scratch_.in_record(kept_at_.at(node.index));
        Lanes lanes;
        for (std::size_t w = 0; w < words.size(); ++w)
            lanes.push_back(
                b_.load_lane(b_.offset_pointer(record, w * stride), words[w].scalar, shapes_.of(node, w)));
        values_.set(node, std::move(lanes));
    }
    for (const NodeId node : region.computed_again) values_.evaluate(node);
}

Value* KeptValues::slot_of_decision(NodeId value) {
    Value*& found = decisions_[value.index];
    if (!found) {
        llvm::Type* type = b_.scalar_type(words_of(program_.type(value))[0].scalar);
        found = b_.slot(llvm::Constant::getNullValue(type), "decision");
    }
    return found;
}

Value* KeptValues::decision(NodeId value) {
    if (!plan_.is_decisive(value)) return b_.one_of(values_.word(value, 0));
    return b_.CreateLoad(b_.scalar_type(words_of(program_.type(value))[0].scalar), slot_of_decision(value));
}

}  // namespace muster::cpu
