#include <muster/foundation/validate/passes.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {

Result<ValidProgram> validate(Program program) {
    using namespace validation;
    for (auto* const pass : {check_references, check_structure, check_memory, check_types, check_interface,
                             check_sizes, check_barriers}) {
        Faults faults(program);
        pass(program, faults);
        if (!faults.none()) return std::unexpected(faults.error());
    }
    return ValidProgram(std::move(program));
}

}  // namespace muster
