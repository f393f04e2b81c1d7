// case_texts.hpp - the text of every case, in the library itself, so that nothing is read when it runs.
//
// The build writes the source of these functions from cases/ and extension_cases/ (embed_cases.cmake).
#pragma once

#include <span>
#include <string_view>

namespace muster::conformance {

struct CaseText {
    std::string_view name;  // "integers/signed_division"
    std::string_view text;
};

/// By name.
std::span<const CaseText> core_case_texts();
std::span<const CaseText> extension_case_texts();

}  // namespace muster::conformance
