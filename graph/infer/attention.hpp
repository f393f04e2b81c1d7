// attention.hpp - the sizes that Attention's inputs give. Internal to graph.
#pragma once

#include <muster/graph/ir/attribute.hpp>
#include <muster/graph/ir/shape.hpp>

namespace muster::graph {

struct AttentionSizes {
    bool flat = false;  // three axes: the heads lie side by side in the last one
    Dimension batch, q_heads, kv_heads, queries, keys, head, v_head;
    Dimension past;   // keys before those of K
    Dimension total;  // all keys
};

/// `past`: the shape of past_key, or null. Precondition: q, k and v have three axes
/// each, or four; past has four.
AttentionSizes attention_sizes(const Attributes& attributes, const Shape& q, const Shape& k, const Shape& v,
                               const Shape* past);

}  // namespace muster::graph
