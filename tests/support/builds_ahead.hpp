// builds_ahead.hpp - of backends that only tests have: one that compiles many programs at once in less time than one after
// the other, and so wants to know early which will come.
#pragma once

#include <span>

#include <muster/foundation/validate/validate.hpp>

namespace muster::test {

class BuildsAhead {
  public:
    virtual ~BuildsAhead() = default;
    /// For exact mode. What can't be built is left to the device, which says why.
    virtual void build_ahead(std::span<const ValidProgram> programs) = 0;
};

}  // namespace muster::test
