// Arrays of vectors and structures: if consecutive lanes access consecutive elements, the whole run is loaded
// at once and shuffled apart, instead of gathering word by word.
#include <algorithm>

#include <llvm/Analysis/VectorUtils.h>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {
namespace {

// Largest stride between lanes, in scalars, for which shuffling costs less than gathering.
constexpr std::int64_t most_scalars = 8;

}  // namespace

// The stride between lanes in scalars; 0 if they aren't evenly spaced, if too few of the scalars are used, or
// if the words' sizes differ.
std::uint32_t Lowering::interleaved(const Address& address, std::span<const TypeWord> words) const {
    if (width_ < 4 || address.units || address.lane_bytes.empty()) return 0;
    const std::int64_t bytes = words[0].bytes(), stride = address.lane_bytes[1] / bytes;
    if (stride < 2 || stride > most_scalars || static_cast<std::int64_t>(words.size()) * 4 < stride) return 0;
    if (std::ranges::any_of(words, [&](TypeWord word) { return word.bytes() != bytes; })) return 0;
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        if (address.lane_bytes[lane] != bytes * stride * lane) return 0;
    return static_cast<std::uint32_t>(stride);
}

// True at run time if the whole run is within the variable, so that inactive lanes may be read too.
llvm::Value* Lowering::span_is_inside(const Address& address, std::uint64_t bytes) {
    const std::uint32_t v = address.variable.index;
    const Variable& variable = program_.variable(address.variable);
    const bool in_workgroup = variable.space == AddressSpace::workgroup;
    llvm::Value* start = in_workgroup ? offset_pointer(scratch_, workgroup_at_[v]) : data_[v];
    llvm::Value* size = in_workgroup ? b_.getInt64(types_[variable.type].size) : bytes_[v];
    const auto number = [&](llvm::Value* pointer) { return b_.CreatePtrToInt(pointer, b_.getInt64Ty()); };
    llvm::Value* from = b_.CreateSub(number(address.pointer), number(start));
    llvm::Value* enough = b_.CreateICmpUGE(size, b_.getInt64(bytes));
    return b_.CreateAnd(enough, b_.CreateICmpULE(from, b_.CreateSub(size, b_.getInt64(bytes))));
}

Lanes Lowering::load_interleaved(const Address& from, std::span<const TypeWord> words, std::uint32_t stride) {
    const std::uint32_t count = width_ * stride, bytes = words[0].bytes();
    llvm::BasicBlock *whole = block("whole"), *apart = block("apart"), *end = block("loaded");
    b_.CreateCondBr(span_is_inside(from, std::uint64_t{bytes} * count), whole, apart);
    b_.SetInsertPoint(whole);
    auto* type = llvm::FixedVectorType::get(b_.getIntNTy(8 * bytes), count);
    llvm::Value* run = tagged(b_.CreateAlignedLoad(type, from.pointer, llvm::Align(bytes)), from.variable);
    Lanes lanes;
    for (const TypeWord& word : words) {
        std::vector<int> places;
        for (std::uint32_t lane = 0; lane < width_; ++lane)
            places.push_back(static_cast<int>(lane * stride + word.offset / bytes));
        llvm::Value* found = b_.CreateShuffleVector(run, places);
        if (word.scalar == Scalar::f32) found = b_.CreateBitCast(found, vector_type(Scalar::f32));
        if (from.valid)
            found = b_.CreateSelect(from.valid, found, llvm::Constant::getNullValue(found->getType()));
        lanes.push_back({.value = value_form(found, word.scalar), .varying = true});
    }
    b_.CreateBr(end);
    whole = b_.GetInsertBlock();
    b_.SetInsertPoint(apart);
    Lanes others;
    for (const TypeWord& word : words) others.push_back(load_word(from, word, varying_shape));
    b_.CreateBr(end);
    apart = b_.GetInsertBlock();
    b_.SetInsertPoint(end);
    for (std::size_t w = 0; w < lanes.size(); ++w) {
        llvm::PHINode* either = b_.CreatePHI(lanes[w].value->getType(), 2);
        either->addIncoming(lanes[w].value, whole);
        either->addIncoming(others[w].value, apart);
        lanes[w].value = either;
    }
    return lanes;
}

// Returns false, emitting nothing, if lanes may be inactive or if the elements have padding,
// which must be preserved.
bool Lowering::store_interleaved(const Address& to, std::span<const TypeWord> words, const Lanes& lanes,
                                 std::uint32_t stride) {
    if (mask_ || to.valid || words.size() != stride || words.back().offset != words[0].bytes() * (stride - 1))
        return false;
    llvm::SmallVector<llvm::Value*, 8> parts;
    const std::uint32_t bytes = words[0].bytes();
    for (std::size_t w = 0; w < lanes.size(); ++w)
        parts.push_back(b_.CreateBitCast(host_form(as_vector(lanes[w]), words[w].scalar),
                                         vector_of(b_.getIntNTy(8 * bytes))));
    std::vector<int> places;
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        for (std::uint32_t w = 0; w < stride; ++w) places.push_back(static_cast<int>(w * width_ + lane));
    llvm::Value* run = b_.CreateShuffleVector(llvm::concatenateVectors(b_, parts), places);
    tagged(b_.CreateAlignedStore(run, to.pointer, llvm::Align(bytes)), to.variable);
    return true;
}

}  // namespace muster::cpu
