// code.hpp - programs as artifacts in a form of code, and artifacts as build() gets them.
//
//     Artifact artifact = lower(program, MUSTER_BACKEND_GNU99, "mine:gnu99", options);
//     const Code code = TRY(code_of(artifact));
//     table.build(device, &code.given(), ...);
//
// Pure. An artifact may come from a file: what code_of() needs besides the text stands in `load_data`, whose size and numbers are
// checked. Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/c_table/muster_backend.h>
#include <muster/driver/contract/artifact.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/place.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster::c_table {

Artifact lower(const ValidProgram& program, std::uint32_t form, std::string target,
               const CompileOptions& options);

/// An artifact as a muster_backend_code, with all that it points to.
class Code {
  public:
    /// Errors: invalid_argument (an artifact that lower() can't have made).
    static Result<std::unique_ptr<Code>> of(const Artifact& artifact);
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;

    const muster_backend_code& given() const { return given_; }
    /// The run-time array of each binding; a stride of 0: it has none.
    const std::vector<RuntimeArray>& arrays() const { return arrays_; }

  private:
    Code() = default;

    std::string text_, entry_;
    std::vector<BindingLayout> layouts_;
    Specs specs_;
    std::vector<RuntimeArray> arrays_;
    std::vector<muster_backend_binding> bindings_;
    std::vector<const muster_backend_binding*> pointers_;
    std::vector<muster_backend_option> options_;
    muster_backend_code given_{};
};

}  // namespace muster::c_table
