// run_plan.hpp - what runs with inputs of certain sizes need, and nothing else: buffers,
// programs, dispatches. No graph.
//
//     RunPlan plan = TRY(run_plan_of(TRY(make_plan(graph, groups))));       // internal: plan_to_run.hpp
//     auto loaded = TRY(LoadedPlan::load(session, std::move(plan), {}));    // internal: loaded_plan.hpp
//
// An artifact of a model holds such plans (graph/stored_model). Threads: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/artifact/artifact_file.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/element_type.hpp>

namespace muster::graph {

/// Bytes in device form that kernels only read, with what keeps them alive. Aligned to wrapped_alignment.
struct Weights {
    std::span<std::byte> bytes;
    std::shared_ptr<const void> owner;
    bool is_kept = false;  // by an artifact, in any case: a copy on the host would be a second one
    std::span<const std::byte> hashed =
        {};                  // they and what lies behind them in a file; empty: they aren't checked
    std::uint64_t hash = 0;  // XXH3-64 of these
};

struct RunBuffer {
    std::uint64_t bytes = 0;  // a multiple of 4, at least 4
    Weights weights = {};     // without bytes: zeros, for values
};

/// An input or output: row-major elements in a buffer, as a device holds them.
struct RunTensor {
    std::string name;
    ElementType element = ElementType::f32;
    std::vector<std::int64_t> sizes;
    std::uint32_t buffer = 0;
    std::uint64_t offset_bytes = 0;
    /// The contents of an input, if the kernels are made for them.
    std::optional<std::vector<std::byte>> contents = {};
};

/// Nodes that are computed together.
struct RunStep {
    std::vector<std::string> nodes;  // their labels
    std::string pattern;             // the fusion pattern that joined them; empty: none
};

struct RunBinding {
    std::string name;
    std::uint32_t buffer = 0;
    std::uint64_t offset = 0, bytes = 0;  // a part of the buffer; no bytes: all of it
};

struct RunDispatch {
    std::uint32_t program = 0, step = 0;
    std::array<std::uint32_t, 3> workgroups{1, 1, 1};
    std::vector<RunBinding> bindings;  // the program needn't have all
};

/// Makes a program, with its codes if it has any. Called from many threads.
using ProgramSource = std::function<Result<ArtifactFile>()>;

struct RunPlan {
    std::string pack;  // of the patterns that made it
    std::vector<RunBuffer> buffers;
    std::vector<RunTensor> inputs, outputs;
    std::vector<RunStep> steps;
    std::vector<ProgramSource> programs;
    std::vector<RunDispatch> dispatches;  // in order
};

/// "node conv1, relu1": for errors.
std::string nodes_text(const RunStep& step);
/// The first step of each program; programs that nothing dispatches have none.
std::vector<std::optional<std::uint32_t>> steps_of_programs(const RunPlan& plan);

}  // namespace muster::graph
