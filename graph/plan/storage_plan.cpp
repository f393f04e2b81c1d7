#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/infer/inference.hpp>
#include <muster/graph/kernel_text/element_expression.hpp>
#include <muster/graph/kernels/group_lowering.hpp>
#include <muster/graph/kernels/views.hpp>
#include <muster/graph/pack/pack.hpp>
#include <muster/graph/plan/storage_plan.hpp>

namespace muster::graph {
namespace {

/// True for operators whose output lies as their input does.
bool keeps_layout(const Graph& graph, NodeId node) {
    const Operator op = graph.node(node).op;
    return is_elementwise(graph, node) || op == Operator::concat || op == Operator::pad ||
           op == Operator::tile || op == Operator::quantize_linear || op == Operator::dequantize_linear;
}

bool is_view_group(const Graph& graph, const Group& group) {
    return group.nodes.size() == 1 && info(graph.node(group.nodes[0]).op).is_view;
}

/// The bytes from the buffer's begin to behind the last element.
std::int64_t extent_bytes(const Storage& storage) {
    std::int64_t last = storage.offset;
    for (std::size_t i = 0; i < storage.sizes.size(); ++i) {
        if (storage.sizes[i] == 0) return 0;
        last += (storage.sizes[i] - 1) * storage.strides[i];
    }
    return (last + 1) * stored_bytes(storage.element);
}

}  // namespace

StoragePlan::StoragePlan(const Graph& graph, std::span<const Group> groups,
                         const std::set<std::size_t>& outside)
    : graph_(graph),
      groups_(groups),
      is_graph_output_(graph.value_count()),
      is_stored_(graph.value_count()),
      is_channels_last_(graph.value_count()),
      is_plain_(graph.value_count()),
      users_(graph.value_count()),
      placings_(graph.value_count()),
      storages_(graph.value_count()) {
    for (std::uint32_t i = 0; i < graph.value_count(); ++i) {
        roots_.push_back({i});
        is_stored_[i] = graph.value({i}).constant != nullptr;
    }
    for (const ValueId value : graph.outputs()) is_graph_output_[value.index] = true;
    is_plain_ = is_graph_output_;
    for (const std::size_t which : outside) {
        for (const ValueId value : groups[which].inputs) is_plain_[value.index] = true;
        for (const ValueId value : groups[which].outputs) is_plain_[value.index] = true;
    }
    for (const ValueId value : graph.inputs()) is_stored_[value.index] = true;
    for (const Group& group : groups)
        for (const ValueId value : group.outputs) is_stored_[value.index] = true;
    for (const NodeId node : graph.nodes())
        for (const ValueId input : graph.inputs(node))
            if (input) users_[input.index].push_back(node);
}

Result<StoragePlan> StoragePlan::of(const Graph& graph, std::span<const Group> groups,
                                    const std::set<std::size_t>& outside) {
    StoragePlan plan(graph, groups, outside);
    plan.choose_layouts();
    plan.place_in_concats();
    TRY(plan.find_views());
    plan.share_slots();
    return plan;
}

/// True if it is made by a kernel, into memory of its own or a part of a Concat's output.
bool StoragePlan::owns_memory(ValueId value) const {
    return graph_.value(value).producer && !info(graph_.node(graph_.value(value).producer).op).is_view;
}

bool StoragePlan::wants_channels_last(ValueId value) const {
    const Value& of = graph_.value(value);
    if (of.type.shape.size() < 3 || !of.producer || is_plain_[value.index]) return false;
    const auto reads_pixels = [&](NodeId user) {
        return info(graph_.node(user).op).is_spatial && graph_.inputs(user)[0] == value;
    };
    return std::ranges::any_of(users_[value.index], reads_pixels);
}

void StoragePlan::choose_layouts() {
    for (const Group& group : groups_) {
        const NodeId anchor = anchor_of(graph_, group.nodes);
        const NodeId first = anchor ? anchor : group.nodes[0];
        const bool is_pixels = anchor && info(graph_.node(anchor).op).is_spatial;
        for (const ValueId output : group.outputs) {
            const std::size_t rank = graph_.value(output).type.shape.size();
            if (rank < 3 || is_plain_[output.index]) continue;
            const auto lies_so = [&](ValueId input) {
                return input && graph_.value(input).type.shape.size() == rank &&
                       is_channels_last_[input.index];
            };
            is_channels_last_[output.index] =
                is_pixels || wants_channels_last(output) ||
                (keeps_layout(graph_, first) && std::ranges::any_of(graph_.inputs(first), lies_so));
        }
    }
}

/// From the last Concat to the first, so that a Concat's output may itself be a part of a later one's.
void StoragePlan::place_in_concats() {
    for (std::size_t i = groups_.size(); i-- > 0;) {
        const NodeId node = groups_[i].nodes[0];
        if (graph_.node(node).op != Operator::concat) continue;
        const ValueId whole = graph_.outputs(node)[0];
        const std::size_t rank = graph_.value(whole).type.shape.size();
        const auto axis = axis_index(graph_.attributes(node).integer("axis"), rank);
        if (!axis) continue;  // lowering says why
        std::int64_t begin = 0;
        for (const ValueId input : graph_.inputs(node)) {
            const bool may = owns_memory(input) && is_stored_[input.index] && !is_plain_[input.index] &&
                             !is_placed(input) &&
                             is_channels_last_[input.index] == is_channels_last_[whole.index] &&
                             std::ranges::count(graph_.inputs(node), input) == 1;
            if (may) placings_[input.index] = Placing{whole, *axis, begin};
            begin += graph_.value(input).type.shape[*axis].number();
        }
    }
}

ValueId StoragePlan::root(ValueId value) const {
    while (roots_[value.index] != value) value = roots_[value.index];
    return value;
}

/// With the root in place of the slot, which isn't known yet.
Storage StoragePlan::own_storage(ValueId value) const {
    const TensorType& type = graph_.value(value).type;
    const Sizes sizes = *known_sizes(type.shape);
    if (const auto& placing = placings_[value.index]) {
        Storage storage = own_storage(placing->whole);
        storage.offset += placing->begin * storage.strides[placing->axis];
        storage.sizes = sizes;
        return storage;
    }
    const PlanBuffer place{PlanBufferKind::slot, value.index};
    return is_channels_last_[value.index] ? Storage::channels_last(type.element, sizes, place)
                                          : Storage::row_major(type.element, sizes, place);
}

Result<void> StoragePlan::find_views() {
    for (std::uint32_t i = 0; i < graph_.value_count(); ++i) {
        const Value& value = graph_.value({i});
        if (placings_[i]) roots_[i] = placings_[i]->whole;
        if (value.producer) continue;
        storages_[i] = own_storage({i});
        if (value.constant) storages_[i]->place = {PlanBufferKind::constant, i};
    }
    for (const Group& group : groups_) {
        for (const ValueId output : group.outputs) {
            const NodeId node = group.nodes[0];
            if (is_view_group(graph_, group) && !is_plain_[output.index]) {
                const ValueId input = graph_.inputs(node)[0];
                const auto at =
                    std::ranges::find(graph_.outputs(node), output) - graph_.outputs(node).begin();
                if (auto view = TRY(view_of(graph_, node, static_cast<std::size_t>(at), storage(input)))) {
                    storages_[output.index] = std::move(*view);
                    roots_[output.index] = root(input);
                    continue;
                }
            }
            storages_[output.index] = own_storage(output);
        }
    }
    return {};
}

/// The value that the group reads only where it stores the same element of the output, and whose memory the
/// output may take if nothing else needs it; none if there is none.
ValueId StoragePlan::overwritten(const Group& group, ValueId output) const {
    const NodeId anchor = anchor_of(graph_, group.nodes);
    const bool is_known =
        !(group.pattern && group.pattern->lower) && (!anchor || info(graph_.node(anchor).op).is_product);
    const Storage& wanted = *storages_[output.index];
    if (!is_known || is_plain_[output.index] || root(output) != output ||
        wanted.place.kind != PlanBufferKind::slot)
        return {};
    const auto may_take = [&](ValueId input) {
        if (!input || !storages_[input.index]) return false;
        const Storage& storage = *storages_[input.index];
        const ValueId memory = root(input);
        return storage.place.kind == PlanBufferKind::slot && graph_.value(memory).producer &&
               memory != output && storage.element == wanted.element && storage.sizes == wanted.sizes &&
               storage.strides == wanted.strides && storage.offset == wanted.offset;
    };
    const auto is_elementwise_here = [&](NodeId node) { return !anchor || node > anchor; };
    const auto reads_elsewhere = [&](ValueId memory) {
        return std::ranges::any_of(group.nodes, [&](NodeId node) {
            return std::ranges::any_of(graph_.inputs(node), [&](ValueId input) {
                return input && storages_[input.index] && root(input) == memory &&
                       !(is_elementwise_here(node) && may_take(input));
            });
        });
    };
    for (const NodeId node : group.nodes) {
        if (!is_elementwise_here(node)) continue;
        for (const ValueId input : graph_.inputs(node))
            if (may_take(input) && !reads_elsewhere(root(input))) return root(input);
    }
    return {};
}

/// Gives each root a slot: that of a value which it overwrites, or one that is free while it lives, the
/// smallest that is large enough, or else the largest.
void StoragePlan::share_slots() {
    for (const NodeId node : graph_.nodes()) {
        const Operator op = graph_.node(node).op;
        if (op != Operator::conv) continue;
        const std::int64_t channels = graph_.value(graph_.inputs(node)[0]).type.shape[1].number();
        zero_bytes_ = std::max(zero_bytes_, (channels * 4 + 255) / 256 * 256);
    }
    struct Life {
        std::size_t last = 0;
        std::int64_t bytes = 0;
    };
    std::map<ValueId, Life> lives;
    std::map<ValueId, std::uint32_t> slots;
    for (std::uint32_t i = 0; i < graph_.value_count(); ++i) {
        if (!storages_[i] || storages_[i]->place.kind != PlanBufferKind::slot) continue;
        Life& life = lives[root({i})];
        life.bytes = std::max(life.bytes, extent_bytes(*storages_[i]));
        if (is_graph_output_[i] || !graph_.value(root({i})).producer) life.last = SIZE_MAX;
    }
    const auto lives_until = [&](ValueId value, std::size_t group) {
        if (value && storages_[value.index] && storages_[value.index]->place.kind == PlanBufferKind::slot)
            lives[root(value)].last = std::max(lives[root(value)].last, group);
    };
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        for (const NodeId node : groups_[g].nodes)
            for (const ValueId input : graph_.inputs(node)) lives_until(input, g);
        for (const ValueId output : groups_[g].outputs) lives_until(output, g);
    }
    std::vector<std::uint32_t> unused;
    std::set<ValueId> taken_over;  // whose slots others have
    const auto bytes_for = [&](ValueId of) {
        return zero_bytes_ + std::max<std::int64_t>(lives[of].bytes, 4);
    };
    const auto take = [&](ValueId of) {
        if (slots.contains(of)) return;
        const std::int64_t bytes = bytes_for(of);
        const auto better = [&](std::uint32_t a, std::uint32_t b) {
            const std::int64_t has_a = slot_bytes_[a], has_b = slot_bytes_[b];
            if ((has_a >= bytes) != (has_b >= bytes)) return has_a >= bytes;
            return has_a >= bytes ? has_a < has_b : has_a > has_b;
        };
        const auto best = std::ranges::min_element(unused, better);
        if (best == unused.end() || lives[of].last == SIZE_MAX) {
            slots[of] = static_cast<std::uint32_t>(slot_bytes_.size());
            slot_bytes_.push_back(bytes);
            return;
        }
        slots[of] = *best;
        slot_bytes_[*best] = std::max(slot_bytes_[*best], bytes);
        unused.erase(best);
    };
    for (const ValueId input : graph_.inputs()) take(input);
    std::multimap<std::size_t, ValueId> ends;
    for (const auto& [value, life] : lives)
        if (life.last != SIZE_MAX) ends.emplace(life.last, value);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        for (const ValueId output : groups_[g].outputs) {
            if (storages_[output.index]->place.kind != PlanBufferKind::slot) continue;
            const ValueId from = overwritten(groups_[g], output);
            if (from && lives[from].last == g && lives[output].last != SIZE_MAX && !slots.contains(output) &&
                taken_over.insert(from).second) {
                const std::uint32_t slot = slots[output] = slots[from];
                slot_bytes_[slot] = std::max(slot_bytes_[slot], bytes_for(output));
                continue;
            }
            take(root(output));
        }
        const auto [begin, end] = ends.equal_range(g);
        for (auto each = begin; each != end; ++each)
            if (!taken_over.contains(each->second)) unused.push_back(slots[each->second]);
    }
    for (std::uint32_t i = 0; i < graph_.value_count(); ++i) {
        if (!storages_[i] || storages_[i]->place.kind != PlanBufferKind::slot) continue;
        Storage& storage = *storages_[i];
        storage.place.index = slots[root({i})];
        storage.offset += zero_bytes_ / stored_bytes(storage.element);
        storage.zero_count = zero_bytes_ / stored_bytes(storage.element);
    }
}

}  // namespace muster::graph
