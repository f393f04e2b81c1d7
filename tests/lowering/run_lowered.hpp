// run_lowered.hpp - a program through the CPU backend's lowering, code generation and image, without a device.
#pragma once

#include <cstdint>

#include <muster/backend-cpu/compiler/build_image.hpp>
#include <muster/backend-cpu/compiler/lower.hpp>
#include <muster/backend-cpu/image.hpp>

#include "conformance/case.hpp"

namespace muster::test {

/// What each binding holds afterwards. `width`: lanes. Errors: of lowering, of the image.
Result<conformance::Outputs> run_lowered(const conformance::Case& test, const ValidProgram& program,
                                         std::uint32_t width);

}  // namespace muster::test
