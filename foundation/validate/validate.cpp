#include <array>

#include <muster/foundation/validate/non_uniform.hpp>
#include <muster/foundation/validate/passes.hpp>
#include <muster/foundation/validate/validate.hpp>

namespace muster {
namespace {

/// The faults of the first pass that finds any.
validation::Faults find_faults(const Program& program) {
    using namespace validation;
    constexpr std::array passes{check_references, check_structure, check_memory,  check_types,
                                check_interface,  check_sizes,     check_barriers};
    for (auto* const pass : passes) {
        Faults faults(program);
        pass(program, faults);
        if (!faults.none()) return faults;
    }
    return Faults(program);
}

}  // namespace

Result<ValidProgram> validate(Program program) {
    const validation::Faults faults = find_faults(program);
    if (!faults.none()) return std::unexpected(faults.error());
    return ValidProgram(std::move(program));
}

std::vector<NonUniform> find_non_uniform(const Program& program) {
    return find_faults(program).only_non_uniform();
}

}  // namespace muster
