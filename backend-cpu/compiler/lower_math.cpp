#include <muster/backend-cpu/compiler/lane_number.hpp>
#include <muster/backend-cpu/compiler/lower_math.hpp>
#include <muster/foundation/math/functions.hpp>

namespace muster::cpu {

static_assert(math::Number<LaneFloat>);

llvm::Value* emit_math(Builder& builder, const LowerOptions& options, Op op,
                       std::span<llvm::Value* const> operands) {
    const llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
    // What is written here relies on the order of its operations, but gains by each contraction.
    llvm::FastMathFlags contract;
    contract.setAllowContract();
    builder.setFastMathFlags(contract);
    static_cast<void>(options);
    const LaneFloat a{&builder, operands.front()}, b{&builder, operands.back()};
    return math::functions<LaneFloat>[static_cast<std::size_t>(op)](a, b).value;
}

}  // namespace muster::cpu
