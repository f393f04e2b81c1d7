#include <muster/driver/prepare.hpp>
#include <muster/foundation/expand.hpp>

namespace muster {

OpSet native_ops(const OpSet& ops, const Exactness& exactness, const CompileOptions& options) {
    if (options.precision == Precision::fast) return ops;
    OpSet native = ops;
    if (exactness.mathematics == Promise::no) native.core &= OpSet::all_exact().core;
    const auto keep = [&](Op op, Promise promise) {
        if (promise == Promise::no) native.core.reset(static_cast<std::size_t>(op));
    };
    keep(Op::div, exactness.division);
    keep(Op::rem, exactness.division);  // x - y * trunc(x / y)
    keep(Op::sqrt, exactness.square_root);
    keep(Op::fma, exactness.fma);
    return native;
}

Result<ValidProgram> expand_for(const ValidProgram& program, const OpSet& ops, const Exactness& exactness,
                                const CompileOptions& options) {
    return expand(program, native_ops(ops, exactness, options));
}

}  // namespace muster
