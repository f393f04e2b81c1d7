// pack.hpp - packs of patterns: how a graph is rewritten and grouped for the devices that a
// pack applies to, as data.
//
//     const Pack& my_pack() {
//         static const Pack pack{
//             .name = "npu", .purpose = "For the NPU: products of its own units.", .backends = {"npu"},
//             .conversion = {{.name = "GELU",
//                             .bits = Bits::changed,
//                             .match = {"x * 0.5 * (1 + Erf(x / 1.41421356))"},
//                             .give = "Gelu(x)"}},
//             .fusion = {{.name = "product with epilogue", .match = {"MatMul(a, b)"}, .growth = Growth::epilogue}}};
//         return pack;
//     }
//
// A pattern is a formula over operators (docs/packs.md has its language); names that stand in it for values
// are captures. Conversions are applied until nothing changes, in the order of the list; then fusion
// patterns, in one pass (graph/rewrite). A pack must outlive the groups that are made with it.
// docs/packs.md is the guide.
//
// Threads: constant data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <muster/graph/ir/operator.hpp>
#include <muster/graph/pack/lower_group.hpp>

namespace muster::graph {

/// Tells if a pattern's result has the same bits as what it replaces, for all inputs without NaN
/// and for every NaN as a NaN.
enum class Bits : std::uint8_t { kept, changed };
/// "kept", "changed".
constexpr std::string_view name(Bits bits) { return bits == Bits::kept ? "kept" : "changed"; }

class ConversionSite;      // graph/rewrite/conversion_site.hpp
struct ConversionOutcome;  // the same
/// A conversion that no formula can say. It is asked about one node. An error is a fault of the pattern.
using ConversionFunction = Result<ConversionOutcome> (*)(ConversionSite& site);

/// Replaces the nodes that a formula matches by those of another one.
struct ConversionPattern {
    std::string_view name;
    Bits bits = Bits::kept;
    std::vector<std::string_view> match = {};  // alternatives, tried in order
    std::string_view where = {};               // conditions on what was captured
    std::string_view give = {};                // the replacement
    ConversionFunction function = nullptr;     // instead of the three above
    std::vector<Operator> roots =
        {};  // of a function: the operators of the nodes that it is asked about; empty: all
};

/// How a group grows beyond what its formula matches.
enum class Growth : std::uint8_t {
    none,
    epilogue,  // by the element-wise operators that follow, while the result has the shape of what was matched
    element_wise,  // there is no formula: element-wise operators of one shape, with one result
};

/// How the default lowering computes a convolution or a product.
struct Algorithm {
    enum class Kind : std::uint8_t {
        direct,    // each result is the sum that the operator defines, in its order
        winograd,  // a convolution of 3x3: fewer multiplications, other bits (Lavin and Gray, arXiv:1509.09308)
        shared_tiles,  // the same sums as direct; a workgroup loads what its invocations share into workgroup memory
    };
    Kind kind = Kind::direct;
    /// The results that a workgroup computes: rows (of a convolution pixels, for winograd tiles) by columns
    /// (output channels). For shared_tiles these are the exact numbers; else they are limits, and 0 is none.
    std::uint32_t rows = 0, columns = 0;
    /// The results that one invocation computes, and the terms of the sums that are loaded at a
    /// time; for shared_tiles alone.
    std::uint32_t rows_each = 4, columns_each = 4, depth = 16;
    bool operator==(const Algorithm&) const = default;
};

/// Joins the nodes that a formula matches to a group.
struct FusionPattern {
    std::string_view name;
    Bits bits = Bits::kept;  // of the group's kernels against the evaluator's order of operations
    std::vector<std::string_view> match = {};
    std::string_view where = {};
    Growth growth = Growth::none;
    std::uint32_t most_nodes = 64, most_inputs = 7;  // of what growth makes
    Algorithm algorithm = {};                        // of the default lowering
    LowerGroup lower = nullptr;                      // instead of the default lowering
};

/// Moves scale from an activation to the weight that it is multiplied by (SmoothQuant). `smooth` is in the
/// replacements a vector with one factor for each channel: an index of the activation's last axis, and of
/// `weight_axis` of the weight.
struct SmoothPattern {
    std::string_view name;
    std::vector<std::string_view> match = {};
    std::string_view where = {};
    std::string_view activation = {}, weight = {};  // names of the formula: a node, and a constant
    std::int64_t weight_axis = 0;
    std::string_view give_activation = {}, give_weight = {};
};

/// A value that a formula captures and that is quantised: an activation by its statistics, to u8, for the
/// whole tensor; a constant weight by its own values, to i8, its zero point 0.
struct QuantizedValue {
    std::string_view name;
    enum class Role : std::uint8_t { activation, weight } role = Role::activation;
    std::int64_t channel_axis =
        -1;  // of a weight, from 0: one scale for each index of this axis; -1: one for the tensor
};
/// Inserts QuantizeLinear and DequantizeLinear before inputs of the formula's root.
struct QuantizedPattern {
    std::string_view name;
    std::vector<std::string_view> match = {};
    std::string_view where = {};
    std::vector<QuantizedValue> values = {};
};

struct Pack {
    std::string_view name;     // an id: lower case letters, digits, '-' and '_'
    std::string_view purpose;  // one sentence
    std::vector<std::string_view> backends =
        {};                         // ids of those whose devices it applies to; empty: every device
    bool extends_portable = false;  // true: the portable pack's patterns follow its own
    std::vector<ConversionPattern> conversion = {};
    std::vector<FusionPattern> fusion = {};
    std::vector<SmoothPattern> smooth = {};
    std::vector<QuantizedPattern> quantized = {};

    bool applies_to(std::string_view backend) const;
    /// True if no pattern of it changes bits.
    bool keeps_bits() const;
};

}  // namespace muster::graph
