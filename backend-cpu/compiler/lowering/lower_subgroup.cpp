// Operations of subgroups. With these, a subgroup is as wide as the code: its invocations are the lanes.
#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {

Lanes Lowering::ballot(NodeId node) {
    llvm::Value* votes = both(mask_, as_vector(word_of(program_.operand(node, 0), 0)));
    llvm::Value* bits = b_.CreateZExt(bits_of(votes), b_.getInt128Ty());
    Lanes lanes;
    for (unsigned k = 0; k < 4; ++k)
        lanes.push_back({b_.CreateTrunc(b_.CreateLShr(bits, 32 * k), b_.getInt32Ty())});
    return lanes;
}

// Reading from an inactive lane gives whatever is there.
Lanes Lowering::shuffle(NodeId node) {
    const Lane index = word_of(program_.operand(node, 1), 0);
    Lanes lanes;
    for (const Lane& lane : value(program_.operand(node, 0))) {
        if (lane.is_uniform()) {
            lanes.push_back(fit(lane, shapes_.of(node, lanes.size())));
        } else if (index.is_uniform()) {
            llvm::Value* from = b_.CreateAnd(index.value, word(width_ - 1));
            lanes.push_back({b_.CreateExtractElement(as_vector(lane), from)});
        } else {
            llvm::Value* from = b_.CreateAnd(as_vector(index), as_vector(word(width_ - 1)));
            lanes.push_back({.value = permuted(as_vector(lane), from), .varying = true});
        }
    }
    return lanes;
}

// Element `from[k]` of `lanes`, for each k. A permutation that is known is an instruction or a few, another
// one goes through memory.
llvm::Value* Lowering::permuted(llvm::Value* lanes, llvm::Value* from) {
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(from)) {
        std::vector<int> order;
        for (unsigned k = 0; k < width_; ++k)
            if (auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(k)))
                order.push_back(static_cast<int>(number->getZExtValue()));
        if (order.size() == width_) return b_.CreateShuffleVector(lanes, order);
    }
    llvm::Type* element = llvm::cast<llvm::VectorType>(lanes->getType())->getElementType();
    llvm::Value* memory = slot(lanes->getType(), "shuffled");
    b_.CreateStore(lanes, memory);
    llvm::Value* result = llvm::PoisonValue::get(lanes->getType());
    for (unsigned k = 0; k < width_; ++k) {
        llvm::Value* place = b_.CreateInBoundsGEP(element, memory, b_.CreateExtractElement(from, k));
        result = b_.CreateInsertElement(result, b_.CreateLoad(element, place), k);
    }
    return result;
}

}  // namespace muster::cpu
