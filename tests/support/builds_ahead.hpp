// builds_ahead.hpp - an interface of test-only backends that compile many programs at once in less time than
// one after another, and so want to know early which programs will come.
#pragma once

#include <span>

#include <muster/foundation/validate/validate.hpp>

namespace muster::test {

class BuildsAhead {
  public:
    virtual ~BuildsAhead() = default;
    /// Builds the programs, for exact mode. A program that can't be built is left to the device, which says why.
    virtual void build_ahead(std::span<const ValidProgram> programs) = 0;
};

}  // namespace muster::test
