#include <algorithm>

#include <llvm/Analysis/VectorUtils.h>

#include <muster/backend-cpu/compiler/lowering/shared_access.hpp>

namespace muster::cpu {
namespace {

// Largest constant distance of a lane's element behind lane 0's.
constexpr std::uint64_t most_lane_bytes = std::uint64_t{1} << 30;
// Largest stride between lanes, in scalars, for which shuffling costs less than gathering.
constexpr std::int64_t most_scalars = 8;

}  // namespace

// Computes addresses with sign-extended indices: a binding is smaller than 8 GiB, so no index from 2^31 on is
// within bounds, and a negative base with offsets that lead back up has the intended meaning. Offsets that
// wrap, for which that doesn't hold, are added to the base first, lane by lane.
Address SharedAccess::address(NodeId access, const Place& place) {
    Address at{.variable = place.variable};
    const bool proven = assumptions_.is_proven(access);
    Value* base = shared_.at(place.variable, place.offset);
    if (std::ranges::any_of(place.steps, [](const PlaceStep& step) { return step.stride % 4 != 0; }))
        at.unit = 1;
    for (const PlaceStep& step : place.steps) {
        const Lane index = values_.word(step.index, 0);
        Value* count = step.count == 0 ? shared_.length_of(place.variable)
                                       : b_.word(static_cast<std::uint32_t>(step.count));
        if (!proven) at.valid = b_.both(at.valid, b_.is_below(index, count));
        const auto is_far = [&](std::uint32_t offset) { return offset * step.stride > most_lane_bytes; };
        if (index.varying || std::ranges::any_of(offsets_[index.offsets], is_far)) {
            Value* scaled = b_.as_vector(index);
            if (at.unit != 4) scaled = b_.CreateSExt(scaled, b_.vector_of(b_.getInt64Ty()));
            scaled = b_.CreateMul(scaled, llvm::ConstantInt::get(scaled->getType(), step.stride / at.unit));
            at.units = at.units ? b_.CreateAdd(at.units, scaled) : scaled;
            continue;
        }
        Value* bytes = b_.CreateMul(b_.CreateSExt(index.value, b_.getInt64Ty()), b_.getInt64(step.stride));
        base = b_.offset_pointer(base, bytes);
        if (index.offsets == 0) continue;
        at.lane_bytes.resize(width_, 0);
        for (std::uint32_t lane = 0; lane < width_; ++lane)
            at.lane_bytes[lane] += static_cast<std::int64_t>(offsets_[index.offsets][lane] * step.stride);
    }
    at.pointer = base;
    if (at.units && !at.lane_bytes.empty()) {
        std::vector<std::uint32_t> units;
        for (const std::int64_t bytes : at.lane_bytes)
            units.push_back(static_cast<std::uint32_t>(bytes / at.unit));
        Value* more = b_.lane_constants(units);
        if (at.unit != 4) more = b_.CreateSExt(more, at.units->getType());
        at.units = b_.CreateAdd(at.units, more);
        at.lane_bytes.clear();
    }
    if (!at.lane_bytes.empty() && std::ranges::all_of(at.lane_bytes, [](std::int64_t b) { return b == 0; }))
        at.lane_bytes.clear();
    return at;
}

bool SharedAccess::is_consecutive(const Address& address, TypeWord word) const {
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        if (address.lane_bytes.empty() || address.lane_bytes[lane] != std::int64_t{word.bytes()} * lane)
            return false;
    return true;
}

Value* SharedAccess::lane_pointers(const Address& address, std::uint64_t byte) {
    Value* from = b_.offset_pointer(address.pointer, byte);
    if (address.units) return b_.CreateGEP(b_.getIntNTy(8 * address.unit), from, address.units);
    std::vector<llvm::Constant*> bytes;
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        bytes.push_back(b_.getInt64(
            static_cast<std::uint64_t>(address.lane_bytes.empty() ? 0 : address.lane_bytes[lane])));
    return b_.CreateGEP(b_.getInt8Ty(), from, llvm::ConstantVector::get(bytes));
}

Lane SharedAccess::load_word(const Address& from, TypeWord at, Shape shape) {
    llvm::Type* type = b_.host_type(at.scalar);
    const llvm::Align align(at.bytes());
    if (from.is_uniform() && from.is_valid_for_all_or_none()) {
        Value* found = shared_.tagged(
            b_.CreateAlignedLoad(type, b_.offset_pointer(from.pointer, at.offset), align), from.variable);
        return b_.fit({.value = b_.value_form(found, at.scalar)}, shape);
    }
    type = b_.vector_of(type);
    Value* mask = b_.active_where(from.valid);
    Value* zero = llvm::Constant::getNullValue(type);
    Value* found = nullptr;
    if (is_consecutive(from, at)) {
        Value* first = b_.offset_pointer(from.pointer, at.offset);
        found = mask ? static_cast<Value*>(
                           shared_.tagged(b_.CreateMaskedLoad(type, first, align, mask, zero), from.variable))
                     : shared_.tagged(b_.CreateAlignedLoad(type, first, align), from.variable);
    } else {
        found = shared_.tagged(b_.CreateMaskedGather(type, lane_pointers(from, at.offset), align,
                                                     mask ? mask : b_.all_lanes(), zero),
                               from.variable);
    }
    return {.value = b_.value_form(found, at.scalar), .varying = true};
}

Lanes SharedAccess::load(NodeId node, const Place& place) {
    Address from = address(node, place);
    if (!from.units)
        prefetches_.for_load(place, from.pointer, from.lane_bytes.empty() ? 0 : from.lane_bytes.back());
    const auto words = words_of(place.type);
    if (const std::uint32_t stride = interleaved(from, words)) return load_interleaved(from, words, stride);
    BasicBlock* outside = nullptr;
    BasicBlock* start = nullptr;
    if (from.is_uniform() && from.valid && from.is_valid_for_all_or_none()) {
        // Out of bounds: reads zeros instead. A lone lane has little else to do, so it doesn't
        // wait for the comparison.
        if (width_ > 1 && words.back().offset / 4 < SharedVariables::zero_words) {
            from.pointer = b_.CreateSelect(from.valid, from.pointer, shared_.zeros());
        } else {
            start = b_.GetInsertBlock();
            outside = b_.block("outside");
            BasicBlock* inside = b_.block("inside");
            b_.CreateCondBr(from.valid, inside, outside);
            b_.SetInsertPoint(inside);
        }
        from.valid = nullptr;
    }
    Lanes lanes;
    for (std::size_t w = 0; w < words.size(); ++w)
        lanes.push_back(load_word(from, words[w], shapes_.of(node, w)));
    if (outside) {
        BasicBlock* inside = b_.GetInsertBlock();
        b_.CreateBr(outside);
        b_.SetInsertPoint(outside);
        for (Lane& lane : lanes)
            lane.value =
                b_.either(lane.value, inside, llvm::Constant::getNullValue(lane.value->getType()), start);
    }
    return lanes;
}

void SharedAccess::store(NodeId node, const Place& place, const Lanes& lanes) {
    Address to = address(node, place);
    const auto words = words_of(place.type);
    BasicBlock* end = nullptr;
    if (to.is_uniform() && to.valid && to.is_valid_for_all_or_none()) {
        end = b_.block("stored");
        BasicBlock* inside = b_.block("inside");
        b_.CreateCondBr(to.valid, inside, end);
        b_.SetInsertPoint(inside);
        to.valid = nullptr;
    }
    if (const std::uint32_t stride = interleaved(to, words))
        if (store_interleaved(to, words, lanes, stride)) return;
    for (std::size_t w = 0; w < lanes.size(); ++w) store_word(to, words[w], lanes[w]);
    if (end) {
        b_.CreateBr(end);
        b_.SetInsertPoint(end);
    }
}

// Stores consecutive elements of the lanes in the mask. Without mask registers, a masked store is slow or a
// branch per lane: in workgroup memory, which this thread alone uses and which has room around each variable,
// the old values of the other lanes are stored again. If no lane is in the mask, the address may be anything.
void SharedAccess::store_some(Value* value, const Address& to, TypeWord at, Value* mask) {
    const llvm::Align align(at.bytes());
    Value* pointer = b_.offset_pointer(to.pointer, at.offset);
    const bool shared = program_.variable(to.variable).space == AddressSpace::workgroup;
    if (!shared || options_.machine.has_masks()) {
        shared_.tagged(b_.CreateMaskedStore(value, pointer, align, mask), to.variable);
        return;
    }
    pointer = b_.CreateSelect(b_.any(mask), pointer, shared_.at(to.variable, 0));
    Value* before = shared_.tagged(b_.CreateAlignedLoad(value->getType(), pointer, align), to.variable);
    shared_.tagged(b_.CreateAlignedStore(b_.CreateSelect(mask, value, before), pointer, align), to.variable);
}

void SharedAccess::store_word(const Address& to, TypeWord at, const Lane& lane) {
    const llvm::Align align(at.bytes());
    if (to.is_uniform() && !to.valid) {
        // If all lanes store to one address, the last active lane's value stays.
        Value* value = lane.value;
        if (lane.varying && width_ > 1) {
            Value* last = b_.getInt32(width_ - 1);
            if (b_.mask) {
                Value* bits = b_.bits_of(b_.mask);
                Value* above =
                    b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits->getType()}, {bits, b_.getTrue()});
                last = b_.CreateSub(last, b_.CreateZExtOrTrunc(above, b_.getInt32Ty()));
            }
            value = b_.CreateExtractElement(lane.value, last);
        } else if (!lane.is_uniform()) {
            Value* all = b_.as_vector(lane);
            return store_word(to, at, {.value = all, .varying = true});
        }
        shared_.tagged(b_.CreateAlignedStore(b_.host_form(value, at.scalar),
                                             b_.offset_pointer(to.pointer, at.offset), align),
                       to.variable);
        return;
    }
    Value* mask = b_.active_where(to.valid);
    Value* value = b_.host_form(b_.as_vector(lane), at.scalar);
    if (!is_consecutive(to, at)) {
        shared_.tagged(
            b_.CreateMaskedScatter(value, lane_pointers(to, at.offset), align, mask ? mask : b_.all_lanes()),
            to.variable);
    } else if (mask) {
        store_some(value, to, at, mask);
    } else {
        shared_.tagged(b_.CreateAlignedStore(value, b_.offset_pointer(to.pointer, at.offset), align),
                       to.variable);
    }
}

// The stride between lanes in scalars; 0 if they aren't evenly spaced, if too few of the scalars are used, or
// if the words' sizes differ.
std::uint32_t SharedAccess::interleaved(const Address& address, std::span<const TypeWord> words) const {
    if (width_ < 4 || address.units || address.lane_bytes.empty()) return 0;
    const std::int64_t bytes = words[0].bytes(), stride = address.lane_bytes[1] / bytes;
    if (stride < 2 || stride > most_scalars || static_cast<std::int64_t>(words.size()) * 4 < stride) return 0;
    if (std::ranges::any_of(words, [&](TypeWord word) { return word.bytes() != bytes; })) return 0;
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        if (address.lane_bytes[lane] != bytes * stride * lane) return 0;
    return static_cast<std::uint32_t>(stride);
}

// True at run time if the whole run is within the variable, so that inactive lanes may be read too.
Value* SharedAccess::span_is_inside(const Address& address, std::uint64_t bytes) {
    Value *start = shared_.at(address.variable, 0), *size = shared_.size_of(address.variable);
    const auto number = [&](Value* pointer) { return b_.CreatePtrToInt(pointer, b_.getInt64Ty()); };
    Value* from = b_.CreateSub(number(address.pointer), number(start));
    Value* enough = b_.CreateICmpUGE(size, b_.getInt64(bytes));
    return b_.CreateAnd(enough, b_.CreateICmpULE(from, b_.CreateSub(size, b_.getInt64(bytes))));
}

Lanes SharedAccess::load_interleaved(const Address& from, std::span<const TypeWord> words,
                                     std::uint32_t stride) {
    const std::uint32_t count = width_ * stride, bytes = words[0].bytes();
    BasicBlock *whole = b_.block("whole"), *apart = b_.block("apart"), *end = b_.block("loaded");
    b_.CreateCondBr(span_is_inside(from, std::uint64_t{bytes} * count), whole, apart);
    b_.SetInsertPoint(whole);
    auto* type = llvm::FixedVectorType::get(b_.getIntNTy(8 * bytes), count);
    Value* run = shared_.tagged(b_.CreateAlignedLoad(type, from.pointer, llvm::Align(bytes)), from.variable);
    Lanes lanes;
    for (const TypeWord& word : words) {
        std::vector<int> places;
        for (std::uint32_t lane = 0; lane < width_; ++lane)
            places.push_back(static_cast<int>(lane * stride + word.offset / bytes));
        Value* found = b_.CreateShuffleVector(run, places);
        if (word.scalar == Scalar::f32) found = b_.CreateBitCast(found, b_.vector_of(b_.getFloatTy()));
        if (from.valid)
            found = b_.CreateSelect(from.valid, found, llvm::Constant::getNullValue(found->getType()));
        lanes.push_back({.value = b_.value_form(found, word.scalar), .varying = true});
    }
    b_.CreateBr(end);
    whole = b_.GetInsertBlock();
    b_.SetInsertPoint(apart);
    Lanes others;
    for (const TypeWord& word : words) others.push_back(load_word(from, word, varying_shape));
    b_.CreateBr(end);
    apart = b_.GetInsertBlock();
    b_.SetInsertPoint(end);
    for (std::size_t w = 0; w < lanes.size(); ++w)
        lanes[w].value = b_.either(lanes[w].value, whole, others[w].value, apart);
    return lanes;
}

// Returns false, emitting nothing, if lanes may be inactive or if the elements have padding,
// which must be preserved.
bool SharedAccess::store_interleaved(const Address& to, std::span<const TypeWord> words, const Lanes& lanes,
                                     std::uint32_t stride) {
    if (b_.mask || to.valid || words.size() != stride ||
        words.back().offset != words[0].bytes() * (stride - 1))
        return false;
    llvm::SmallVector<Value*, 8> parts;
    const std::uint32_t bytes = words[0].bytes();
    for (std::size_t w = 0; w < lanes.size(); ++w)
        parts.push_back(b_.CreateBitCast(b_.host_form(b_.as_vector(lanes[w]), words[w].scalar),
                                         b_.vector_of(b_.getIntNTy(8 * bytes))));
    std::vector<int> places;
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        for (std::uint32_t w = 0; w < stride; ++w) places.push_back(static_cast<int>(w * width_ + lane));
    Value* run = b_.CreateShuffleVector(llvm::concatenateVectors(b_, parts), places);
    shared_.tagged(b_.CreateAlignedStore(run, to.pointer, llvm::Align(bytes)), to.variable);
    return true;
}

}  // namespace muster::cpu
