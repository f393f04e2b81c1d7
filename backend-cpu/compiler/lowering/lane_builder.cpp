#include <muster/backend-cpu/compiler/lowering/lane_builder.hpp>

namespace muster::cpu {

LaneBuilder::LaneBuilder(llvm::Function& function, const LaneOffsets& offsets)
    : Builder(function.getContext()),
      offsets_(offsets),
      width_(offsets.width()),
      entry_(BasicBlock::Create(function.getContext(), "entry", &function)) {
    SetInsertPoint(entry_);
}

llvm::Type* LaneBuilder::scalar_type(Scalar scalar) {
    switch (scalar) {
        case Scalar::boolean: return getInt1Ty();
        case Scalar::i32:
        case Scalar::u32:
        case Scalar::f16:
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16: return getInt32Ty();
        case Scalar::f32: return getFloatTy();
        case Scalar::i64:
        case Scalar::u64: return getInt64Ty();
        case Scalar::f64: return getDoubleTy();
    }
    return nullptr;
}

llvm::Type* LaneBuilder::memory_type(Scalar scalar) {
    return scalar == Scalar::boolean ? getInt32Ty() : scalar_type(scalar);
}

llvm::Type* LaneBuilder::host_type(Scalar scalar) {
    const std::uint32_t bytes = info(scalar).bytes;
    return bytes < 4 ? getIntNTy(8 * bytes) : memory_type(scalar);
}

llvm::Type* LaneBuilder::vector_of(llvm::Type* element) const {
    return width_ == 1 ? element : llvm::FixedVectorType::get(element, width_);
}

Value* LaneBuilder::memory_form(Value* value) {
    llvm::Type* type = value->getType();
    return type->getScalarType()->isIntegerTy(1) ? CreateZExt(value, type->getWithNewType(getInt32Ty()))
                                                 : value;
}

Value* LaneBuilder::host_form(Value* value, Scalar scalar) {
    value = memory_form(value);
    if (info(scalar).bytes == 4) return value;
    return CreateTrunc(value, value->getType()->getWithNewType(host_type(scalar)));
}

Value* LaneBuilder::value_form(Value* value, Scalar scalar) {
    llvm::Type* type = value->getType();
    if (info(scalar).bytes < 4 && type->getScalarSizeInBits() < 32) {
        llvm::Type* word = type->getWithNewType(getInt32Ty());
        const bool is_signed = is_narrow(scalar) && widened(scalar) == Scalar::i32;
        return is_signed ? CreateSExt(value, word) : CreateZExt(value, word);
    }
    if (scalar != Scalar::boolean) return value;
    return CreateICmpNE(value, llvm::Constant::getNullValue(type));
}

Lane LaneBuilder::load_lane(Value* from, Scalar scalar, Shape shape) {
    llvm::Type* type = memory_type(scalar);
    if (shape.is_varying()) type = vector_of(type);
    return shaped(shape, value_form(CreateAlignedLoad(type, from, llvm::Align(4)), scalar));
}

void LaneBuilder::store_lane(Value* to, Value* value) {
    CreateAlignedStore(memory_form(value), to, llvm::Align(4));
}

Value* LaneBuilder::as_vector(const Lane& lane) {
    if (lane.varying) return lane.value;
    Value* all = as_vector(lane.value);
    return lane.offsets == 0 ? all : CreateAdd(all, lane_constants(offsets_[lane.offsets]));
}

Value* LaneBuilder::as_vector(Value* scalar) {
    return width_ == 1 || scalar->getType()->isVectorTy() ? scalar : CreateVectorSplat(width_, scalar);
}

llvm::Constant* LaneBuilder::lane_constants(std::span<const std::uint32_t> words) {
    if (width_ == 1) return getInt32(words[0]);
    return llvm::ConstantDataVector::get(getContext(), llvm::ArrayRef(words.data(), words.size()));
}

Lane LaneBuilder::fit(const Lane& lane, Shape shape) {
    if (!shape.is_varying() || lane.varying) return lane;
    return {.value = as_vector(lane), .varying = true};
}

Value* LaneBuilder::one_of(const Lane& lane) {
    if (!lane.varying || width_ == 1) return lane.value;
    Value* first = getInt32(0);
    if (mask) {
        Value* bits = bits_of(mask);
        first = CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {bits, getTrue()});
    }
    return CreateExtractElement(lane.value, first);
}

Value* LaneBuilder::is_below(const Lane& index, Value* count) {
    if (index.is_uniform()) return CreateICmpULT(index.value, count);
    return CreateICmpULT(as_vector(index), as_vector(count));
}

Value* LaneBuilder::active_where(Value* valid) {
    Value* lanes = both(mask, valid);
    return lanes ? as_vector(lanes) : nullptr;
}

Value* LaneBuilder::both(Value* a, Value* b) {
    if (!a || !b) return a ? a : b;
    if (a->getType()->isVectorTy() == b->getType()->isVectorTy()) return CreateAnd(a, b);
    return CreateAnd(as_vector(a), as_vector(b));
}

Value* LaneBuilder::bits_of(Value* lanes) {
    return width_ == 1 ? lanes : CreateBitCast(lanes, getIntNTy(width_));
}

Value* LaneBuilder::any(Value* lanes) {
    if (!lanes) return getTrue();
    Value* bits = bits_of(lanes);
    return CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

Value* LaneBuilder::mask_slot(const char* name) {
    Value* made = slot(all_lanes()->getType(), name);
    CreateStore(no_lanes(), made);
    return made;
}

void LaneBuilder::add_to_mask(Value* to) {
    Value* before = load_mask(to);
    CreateStore(CreateOr(before, active()), to);
}

Value* LaneBuilder::load_mask(Value* from) { return CreateLoad(all_lanes()->getType(), from); }

Value* LaneBuilder::slot(llvm::Type* type, const char* name) {
    return Builder(entry_, entry_->begin()).CreateAlloca(type, nullptr, name);
}

Value* LaneBuilder::slot(llvm::Constant* initial, const char* name) {
    Builder at_start(entry_, entry_->begin());
    Value* made = at_start.CreateAlloca(initial->getType(), nullptr, name);
    at_start.CreateStore(initial, made);
    return made;
}

Value* LaneBuilder::offset_pointer(Value* base, Value* bytes) {
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(bytes); known && known->isZero()) return base;
    return CreateGEP(getInt8Ty(), base, bytes);
}

BasicBlock* LaneBuilder::block(const char* name) {
    return BasicBlock::Create(getContext(), name, entry_->getParent());
}

Value* LaneBuilder::either(Value* a, BasicBlock* from_a, Value* b, BasicBlock* from_b) {
    PHINode* made = CreatePHI(a->getType(), 2);
    made->addIncoming(a, from_a);
    made->addIncoming(b, from_b);
    return made;
}

void LaneBuilder::go_on_if(Value* condition, const char* name, BasicBlock* otherwise) {
    BasicBlock* here = block(name);
    CreateCondBr(condition, here, otherwise);
    SetInsertPoint(here);
}

void LaneBuilder::arrive(BasicBlock* at) {
    SetInsertPoint(at);
    reachable = !llvm::pred_empty(at);
    mask = nullptr;
    if (!reachable) CreateUnreachable();
}

void LaneBuilder::set_unrolling(llvm::BranchInst* back, const std::string& how, std::uint64_t turns) {
    llvm::LLVMContext& context = getContext();
    llvm::MDNode* option =
        llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll." + how));
    llvm::MDNode* copies = llvm::MDNode::get(context, {llvm::MDString::get(context, copies_of_loop),
                                                       llvm::ConstantAsMetadata::get(getInt64(turns))});
    llvm::MDNode* loop = llvm::MDNode::getDistinct(context, {nullptr, option, copies});
    loop->replaceOperandWith(0, loop);  // which makes it this loop's own
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace muster::cpu
