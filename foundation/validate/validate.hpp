// validate.hpp - makes ValidPrograms, and nothing else does. Backends take a ValidProgram and check nothing
// again.
#pragma once

#include <utility>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

/// A program proven valid: operand types fit, values are used in scope, barriers are in uniform control flow,
/// bindings are distinct. Cheap to copy.
class ValidProgram {
  public:
    const Program& operator*() const { return program_; }
    const Program* operator->() const { return &program_; }
    operator const Program&() const { return program_; }  // NOLINT: a valid program is a program

  private:
    explicit ValidProgram(Program program) : program_(std::move(program)) {}
    friend Result<ValidProgram> validate(Program program);
    Program program_;
};

/// Errors: invalid_program; the message holds up to 20 faults, each rendered as source.hpp describes.
Result<ValidProgram> validate(Program program);

MUSTER_API_END
}  // namespace muster
