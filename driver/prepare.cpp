#include <muster/driver/prepare.hpp>
#include <muster/foundation/expand.hpp>

namespace muster {

Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet& ops, const Exactness&,
                                const CompileOptions& options) {
    OpSet native = ops;
    if (options.precision == Precision::exact) native.core &= OpSet::all_exact().core;
    return expand(program, native);
}

}  // namespace muster
