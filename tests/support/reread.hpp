// reread.hpp - prints a program and checks that the text parses to the same program.
#pragma once

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::test {

inline Program finished(IrBuilder&& ir) {
    Result<Program> program = std::move(ir).finish();
    REQUIRE(program.has_value());
    return *program;
}

/// The program's text, checked to parse to the same program.
inline std::string printed(const Program& program) {
    const std::string text = wgsl::print(program);
    const Result<Program> again = wgsl::parse(text, {.file = "printed.wgsl"});
    if (!again) {
        FAIL_CHECK(again.error().to_string() << "\n" << text);
        return text;
    }
    const bool same = same_structure(*again, program) && again->fingerprint() == program.fingerprint();
    if (!same) FAIL_CHECK("reads back as\n" << wgsl::print(*again) << "instead of\n" << text);
    CHECK(same);
    CHECK(wgsl::print(*again) == text);
    return text;
}

}  // namespace muster::test
