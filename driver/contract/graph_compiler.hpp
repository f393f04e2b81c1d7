// graph_compiler.hpp - for backends with a compiler of their own for models: they take parts of a
// graph instead of kernels.
//
//     class NpuCompiler final : public GraphCompiler {
//         std::string objection(const GraphPart& node) const override;                  // "" for what it takes
//         Result<CompiledPart> preprocess(const GraphPart& part, const CompileOptions& options) override;
//     };
//     GraphCompiler* NpuBackend::graph_compiler() override { return &compiler_; }
//
// A backend offers one through Backend::graph_compiler(), and its devices have the operation
// graph_extension(id) in DeviceInfo::ops, so that a part is routed like every program: by rank, policy and
// failures, with reasons. Whoever runs models (graph/parts) asks objection() about each node, and gives the
// largest connected parts that nothing speaks against to preprocess(). What comes back reaches Device::load()
// as an Artifact of the format graph_part_format; a Launch of it, of one workgroup, binds memory for each of
// the part's inputs that isn't a constant, then for each output. Device::compile() is never asked for a part.
//
// Memory holds elements row-major: f32 and f16 as they are, every other type as i32, bool as 0 or 1, i64
// narrowed. Threads: functions may be called from many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/op.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A constant of a part, its elements row-major as in ONNX's raw data.
struct PartConstant {
    std::string name;
    std::span<const std::byte> bytes;
};

/// Nodes of a graph with what they need.
struct GraphPart {
    /// A graph in its textual form (docs/models.md). Its constants are inputs, behind the
    /// others. Sizes are numbers.
    std::string text;
    std::vector<PartConstant> constants;
};

/// Leads from a place in what preprocess() made, as the backend counts them, to a node of the model.
struct PartDebugEntry {
    std::uint64_t handle = 0;
    std::string node;  // its name in the part's text
};

struct CompiledPart {
    std::vector<std::byte> bytes;
    std::vector<PartDebugEntry> debug_map;
};

class GraphCompiler {
  public:
    virtual ~GraphCompiler() = default;
    /// Why it doesn't take a part of one node; empty if it does. Calls no native API.
    virtual std::string objection(const GraphPart& node) const = 0;
    /// Compiles a part whose nodes it takes. An error leaves the part to kernels, and is told.
    virtual Result<CompiledPart> preprocess(const GraphPart& part, const CompileOptions& options) = 0;
};

inline constexpr std::string_view graph_part_format = "graph part";
/// The operation of devices that load what this backend's compiler makes.
inline std::string graph_extension(std::string_view backend) { return std::string(backend) + ".graph"; }
/// The operations of devices that run parts and no kernels: those of the program that stands for a part.
inline OpSet graph_part_operations(std::string_view backend) {
    OpSet ops;
    for (const Op op : {Op::constant, Op::ref_variable, Op::ref_index, Op::load, Op::store}) ops.insert(op);
    return ops.insert(graph_extension(backend));
}

MUSTER_API_END
}  // namespace muster
