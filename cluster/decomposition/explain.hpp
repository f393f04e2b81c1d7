// explain.hpp - a plan as text for people.
#pragma once

#include <span>
#include <string>

#include <muster/cluster/decomposition/plan.hpp>

namespace muster::cluster {

/// `members`: a name for each rank, such as "cuda:0"; if empty, ranks have their numbers. Lines are separated
/// by newlines; none at the end:
///
///     jacobi: 2 x 32 workgroups, cut along y over 2 ranks
///       rank 0: workgroups 0 to 15, 0 to 14 while words come in; receives 160 bytes from rank 1
///       rank 1: workgroups 16 to 31, 17 to 31 while words come in; receives 160 bytes from rank 0
///       320 bytes are exchanged: "even" 320
std::string explain(const Plan& plan, const Program& program, std::span<const std::string> members = {});

/// Why the dispatch isn't cut: "bfs.wgsl:25:12: Words of ...". Precondition: it isn't.
std::string reason_of(const Plan& plan);

}  // namespace muster::cluster
