#include <muster/driver/prepare.hpp>
#include <muster/foundation/expand.hpp>

namespace muster {

Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet& ops, const Exactness& exactness,
                                const CompileOptions& options) {
    OpSet native = ops;
    if (options.precision == Precision::exact) {
        native.core &= OpSet::all_exact().core;
        if (exactness.division == Promise::no) native.core.reset(static_cast<std::size_t>(Op::div));
        if (exactness.square_root == Promise::no) native.core.reset(static_cast<std::size_t>(Op::sqrt));
        if (exactness.fma == Promise::no) native.core.reset(static_cast<std::size_t>(Op::fma));
    }
    return expand(program, native);
}

}  // namespace muster
