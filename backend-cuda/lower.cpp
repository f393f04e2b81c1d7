#include <muster/backend-cuda/lower.hpp>

namespace muster::cuda {

Result<CudaSource> lower(const ValidProgram&, const LowerTarget&) {
    return fail(ErrorCode::unsupported, "The CUDA backend lowers nothing yet.", "use another backend");
}

const OpSet& supported_ops() {
    static const OpSet all = [] {
        OpSet ops = OpSet::all_exact();
        ops.insert(OpGroup::math);
        return ops;
    }();
    return all;
}

}  // namespace muster::cuda
