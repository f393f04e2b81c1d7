// plan_to_run.hpp - a plan without its graph: what a run needs. Internal to graph/run.
#pragma once

#include <map>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/graph/parts/partition.hpp>
#include <muster/graph/plan/plan.hpp>
#include <muster/graph/run/run_plan.hpp>

namespace muster::graph {

/// Each distinct kernel is one program, and so is each part that is computed outside. Errors: limit_exceeded
/// (a constant of 64 bits that doesn't fit 32).
Result<RunPlan> run_plan_of(Plan plan, std::map<std::size_t, OutsidePart> parts = {});

/// The program of a kernel. Errors: a fault of the lowering.
Result<ValidProgram> program_of(const std::string& wgsl);

}  // namespace muster::graph
