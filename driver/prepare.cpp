#include <muster/driver/prepare.hpp>

namespace muster {

Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet&, const Exactness&,
                                const CompileOptions&) {
    return program;
}

}  // namespace muster
