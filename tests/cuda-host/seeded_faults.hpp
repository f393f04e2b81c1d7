// seeded_faults.hpp - plants mistakes that the CUDA backend's lowering could make in its text: a missing
// barrier, a dropped guard, an operation of the other sign. A test that passes with one of them planted
// wouldn't have found it.
//
//     for (const CudaSource& faulty : planted(kind, source, 4)) ...  // each with the mistake at another position
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <muster/backend-cuda/lowering/lower.hpp>

namespace muster::test {

struct FaultKind {
    std::string_view what;
    const char* pattern;  // a std::regex for the original text
    const char* instead;  // its replacement: std::match_results::format
};

std::span<const FaultKind> fault_kinds();

/// Copies of the source with the mistake at one position each, at most `most`, spread over all positions,
/// beginning with one that `turn` selects. Each kernel gets a name of its own. Precondition: the text has no
/// #line.
std::vector<cuda::CudaSource> planted(const FaultKind& kind, const cuda::CudaSource& source, std::size_t most,
                                      std::size_t turn);

}  // namespace muster::test
