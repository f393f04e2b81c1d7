// seeded_faults.hpp - mistakes that the CUDA backend's lowering could make, to be planted in its text: a barrier that is missing,
// a guard that is dropped, an operation of the other sign. A test that stays green with one of them planted wouldn't have found it.
//
//     for (const CudaSource& faulty : planted(kind, source, 4)) ...  // each at another place
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <muster/backend-cuda/lowering/lower.hpp>

namespace muster::test {

struct FaultKind {
    std::string_view what;
    const char* pattern;  // a std::regex, of what is there
    const char* instead;  // and what is put there: std::match_results::format
};

std::span<const FaultKind> fault_kinds();

/// The source with the mistake at one place each, at most `most`, spread over all from one that `turn` tells. Each kernel gets
/// a name of its own. Precondition: the text has no #line.
std::vector<cuda::CudaSource> planted(const FaultKind& kind, const cuda::CudaSource& source, std::size_t most,
                                      std::size_t turn);

}  // namespace muster::test
