// backend_sdk.hpp - the interface for authors of backends: the contract, records, and what lowering needs.
//
// docs/writing-a-backend.md walks through a backend that includes nothing else of muster; docs/ir.md
// says what programs mean.
#pragma once

// clang-format off
#include <muster/foundation/base/cxx23.hpp>  // before all others
// clang-format on

#include <muster/driver/c_text/lower.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/contract/event_submission.hpp>
#include <muster/driver/contract/graph_compiler.hpp>
#include <muster/driver/contract/inventory.hpp>
#include <muster/driver/contract/make_backend.hpp>
#include <muster/driver/contract/native_function.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/driver/contract/work_queue.hpp>
#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/helper/helper_call.hpp>
#include <muster/driver/helper/helper_text.hpp>
#include <muster/driver/helper/verdicts.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/fork.hpp>
#include <muster/driver/platform/library_search.hpp>
#include <muster/driver/platform/per_thread.hpp>
#include <muster/driver/support/inline_vector.hpp>
#include <muster/driver/support/linked_queue.hpp>
#include <muster/driver/support/once.hpp>
#include <muster/driver/support/poll.hpp>
#include <muster/driver/support/recycling.hpp>
#include <muster/driver/support/sized_pool.hpp>
#include <muster/driver/support/staged_copy.hpp>
#include <muster/driver/support/unique_handle.hpp>
#include <muster/foundation/analysis/assigned_variables.hpp>
#include <muster/foundation/analysis/grid_phase.hpp>
#include <muster/foundation/analysis/local_value.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/analysis/overwritten.hpp>
#include <muster/foundation/analysis/ranges/ranges.hpp>
#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/analysis/writing_workgroups.hpp>
#include <muster/foundation/base/out_of_memory.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/expand/math_function.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/ir/control_walk.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/ir/within.hpp>
#include <muster/foundation/semantics/scalar_operations.hpp>
#include <muster/foundation/split/grid_split.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
