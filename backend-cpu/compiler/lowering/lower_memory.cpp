// Bindings and workgroup memory: an access is one scalar access for all lanes, a vector
// access, or a gather or scatter.
#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/lowering.hpp>

namespace muster::cpu {
namespace {

// Largest offset, in words, at which a uniform load that is out of bounds reads from
// the constant zeros instead.
constexpr std::uint64_t zero_words = 64;
// Largest constant distance of a lane's element behind lane 0's.
constexpr std::uint64_t most_lane_bytes = std::uint64_t{1} << 30;

}  // namespace

llvm::Value* Lowering::length_of(VariableId binding) { return lengths_[binding.index]; }

bool Lowering::is_proven(NodeId access) const {
    const RangeKnown known = ranges_.in_bounds(access).known;
    return options_.options.unchecked || known == RangeKnown::always ||
           (assumes_ && known == RangeKnown::under_condition);
}

llvm::Value* Lowering::index_valid(const Lane& index, llvm::Value* count) {
    if (index.is_uniform()) return b_.CreateICmpULT(index.value, count);
    return b_.CreateICmpULT(as_vector(index), as_vector(count));
}

// The place's address before its steps.
llvm::Value* Lowering::start_of(const Place& place) {
    if (program_.variable(place.variable).space == AddressSpace::workgroup)
        return offset_pointer(scratch_, workgroup_at_[place.variable.index] + place.offset);
    return offset_pointer(data_[place.variable.index], place.offset);
}

// Computes addresses with sign-extended indices: a binding is smaller than 8 GiB, so no index from 2^31 on is
// within bounds, and a negative base with offsets that lead back up has the intended meaning. Offsets that
// wrap, for which that doesn't hold, are added to the base first, lane by lane.
Address Lowering::address(NodeId access, const Place& place) {
    Address at{.variable = place.variable};
    const bool proven = is_proven(access);
    llvm::Value* base = start_of(place);
    if (std::ranges::any_of(place.steps, [](const PlaceStep& step) { return step.stride % 4 != 0; }))
        at.unit = 1;
    for (const PlaceStep& step : place.steps) {
        const Lane index = word_of(step.index, 0);
        llvm::Value* count =
            step.count == 0 ? length_of(place.variable) : word(static_cast<std::uint32_t>(step.count));
        if (!proven) at.valid = both(at.valid, index_valid(index, count));
        const auto is_far = [&](std::uint32_t offset) { return offset * step.stride > most_lane_bytes; };
        if (index.varying || std::ranges::any_of(offsets_[index.offsets], is_far)) {
            llvm::Value* scaled = as_vector(index);
            if (at.unit != 4) scaled = b_.CreateSExt(scaled, vector_of(b_.getInt64Ty()));
            scaled = b_.CreateMul(scaled, llvm::ConstantInt::get(scaled->getType(), step.stride / at.unit));
            at.units = at.units ? b_.CreateAdd(at.units, scaled) : scaled;
            continue;
        }
        llvm::Value* bytes =
            b_.CreateMul(b_.CreateSExt(index.value, b_.getInt64Ty()), b_.getInt64(step.stride));
        base = offset_pointer(base, bytes);
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
        llvm::Value* more = lane_constants(units);
        if (at.unit != 4) more = b_.CreateSExt(more, at.units->getType());
        at.units = b_.CreateAdd(at.units, more);
        at.lane_bytes.clear();
    }
    if (!at.lane_bytes.empty() && std::ranges::all_of(at.lane_bytes, [](std::int64_t b) { return b == 0; }))
        at.lane_bytes.clear();
    return at;
}

bool Lowering::is_consecutive(const Address& address, TypeWord word) const {
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        if (address.lane_bytes.empty() || address.lane_bytes[lane] != std::int64_t{word.bytes()} * lane)
            return false;
    return true;
}

llvm::Type* Lowering::host_type(Scalar scalar) {
    const std::uint32_t bytes = info(scalar).bytes;
    return bytes < 4 ? b_.getIntNTy(8 * bytes) : memory_type(scalar);
}

llvm::Value* Lowering::host_form(llvm::Value* value, Scalar scalar) {
    value = memory_form(value);
    if (info(scalar).bytes == 4) return value;
    return b_.CreateTrunc(value, value->getType()->getWithNewType(host_type(scalar)));
}

llvm::Value* Lowering::lane_pointers(const Address& address, std::uint64_t byte) {
    llvm::Value* from = offset_pointer(address.pointer, byte);
    if (address.units) return b_.CreateGEP(b_.getIntNTy(8 * address.unit), from, address.units);
    std::vector<llvm::Constant*> bytes;
    for (std::uint32_t lane = 0; lane < width_; ++lane)
        bytes.push_back(b_.getInt64(
            static_cast<std::uint64_t>(address.lane_bytes.empty() ? 0 : address.lane_bytes[lane])));
    return b_.CreateGEP(b_.getInt8Ty(), from, llvm::ConstantVector::get(bytes));
}

Lane Lowering::load_word(const Address& address, TypeWord at, Shape shape) {
    llvm::Type* type = host_type(at.scalar);
    const llvm::Align align(at.bytes());
    if (address.is_uniform() && (!address.valid || !address.valid->getType()->isVectorTy())) {
        llvm::Value* found = tagged(
            b_.CreateAlignedLoad(type, offset_pointer(address.pointer, at.offset), align), address.variable);
        return fit({.value = value_form(found, at.scalar)}, shape);
    }
    type = vector_of(type);
    llvm::Value* mask = both(mask_, address.valid);
    if (mask && !mask->getType()->isVectorTy()) mask = as_vector(mask);
    llvm::Value* zero = llvm::Constant::getNullValue(type);
    llvm::Value* found = nullptr;
    if (is_consecutive(address, at)) {
        llvm::Value* from = offset_pointer(address.pointer, at.offset);
        found = mask ? static_cast<llvm::Value*>(
                           tagged(b_.CreateMaskedLoad(type, from, align, mask, zero), address.variable))
                     : tagged(b_.CreateAlignedLoad(type, from, align), address.variable);
    } else {
        found = tagged(b_.CreateMaskedGather(type, lane_pointers(address, at.offset), align,
                                             mask ? mask : all_lanes(), zero),
                       address.variable);
    }
    return {.value = value_form(found, at.scalar), .varying = true};
}

void Lowering::load(NodeId node) {
    const Place place = resolve(program_, program_.operand(node, 0));
    if (is_per_invocation(program_.variable(place.variable))) {
        values_[node.index] = load_variable(node, place);
        return;
    }
    Address from = address(node, place);
    prefetch(place, from);
    const auto words = words_of(place.type);
    if (const std::uint32_t stride = interleaved(from, words)) {
        values_[node.index] = load_interleaved(from, words, stride);
        return;
    }
    llvm::BasicBlock* outside = nullptr;
    llvm::BasicBlock* start = nullptr;
    if (from.is_uniform() && from.valid && !from.valid->getType()->isVectorTy()) {
        // Out of bounds: reads zeros instead. A lone lane has little else to do, so it doesn't
        // wait for the comparison.
        if (width_ > 1 && words.back().offset / 4 < zero_words) {
            from.pointer = b_.CreateSelect(from.valid, from.pointer, zeros_);
        } else {
            start = b_.GetInsertBlock();
            outside = block("outside");
            llvm::BasicBlock* inside = block("inside");
            b_.CreateCondBr(from.valid, inside, outside);
            b_.SetInsertPoint(inside);
        }
        from.valid = nullptr;
    }
    Lanes lanes;
    for (std::size_t w = 0; w < words.size(); ++w)
        lanes.push_back(load_word(from, words[w], shapes_.of(node, w)));
    if (outside) {
        llvm::BasicBlock* inside = b_.GetInsertBlock();
        b_.CreateBr(outside);
        b_.SetInsertPoint(outside);
        for (Lane& lane : lanes) {
            llvm::PHINode* either = b_.CreatePHI(lane.value->getType(), 2);
            either->addIncoming(lane.value, inside);
            either->addIncoming(llvm::Constant::getNullValue(lane.value->getType()), start);
            lane.value = either;
        }
    }
    values_[node.index] = std::move(lanes);
}

void Lowering::store(NodeId node) {
    const Place place = resolve(program_, program_.operand(node, 0));
    const Lanes lanes = value(program_.operand(node, 1));
    if (is_per_invocation(program_.variable(place.variable))) return store_variable(node, place, lanes);
    Address to = address(node, place);
    const auto words = words_of(place.type);
    llvm::BasicBlock* end = nullptr;
    const bool once = to.is_uniform() && (!to.valid || !to.valid->getType()->isVectorTy());
    if (once && to.valid) {
        end = block("stored");
        llvm::BasicBlock* inside = block("inside");
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
void Lowering::store_some(llvm::Value* value, const Address& to, TypeWord at, llvm::Value* mask) {
    const llvm::Align align(at.bytes());
    llvm::Value* pointer = offset_pointer(to.pointer, at.offset);
    const bool shared = program_.variable(to.variable).space == AddressSpace::workgroup;
    if (!shared || options_.machine.has_masks()) {
        tagged(b_.CreateMaskedStore(value, pointer, align, mask), to.variable);
        return;
    }
    pointer = b_.CreateSelect(any(mask), pointer, offset_pointer(scratch_, workgroup_at_[to.variable.index]));
    llvm::Value* before = tagged(b_.CreateAlignedLoad(value->getType(), pointer, align), to.variable);
    tagged(b_.CreateAlignedStore(b_.CreateSelect(mask, value, before), pointer, align), to.variable);
}

void Lowering::store_word(const Address& to, TypeWord at, const Lane& lane) {
    const bool once = to.is_uniform() && !to.valid;
    const llvm::Align align(at.bytes());
    if (once) {
        // If all lanes store to one address, the last active lane's value stays.
        llvm::Value* value = lane.value;
        if (lane.varying && width_ > 1) {
            llvm::Value* last = b_.getInt32(width_ - 1);
            if (mask_) {
                llvm::Value* bits = bits_of(mask_);
                llvm::Value* above =
                    b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits->getType()}, {bits, b_.getTrue()});
                last = b_.CreateSub(last, b_.CreateZExtOrTrunc(above, b_.getInt32Ty()));
            }
            value = b_.CreateExtractElement(lane.value, last);
        } else if (!lane.is_uniform()) {
            llvm::Value* all = as_vector(lane);
            return store_word(to, at, {.value = all, .varying = true});
        }
        tagged(
            b_.CreateAlignedStore(host_form(value, at.scalar), offset_pointer(to.pointer, at.offset), align),
            to.variable);
        return;
    }
    llvm::Value* mask = both(mask_, to.valid);
    if (mask && !mask->getType()->isVectorTy()) mask = as_vector(mask);
    llvm::Value* value = host_form(as_vector(lane), at.scalar);
    if (!is_consecutive(to, at)) {
        tagged(b_.CreateMaskedScatter(value, lane_pointers(to, at.offset), align, mask ? mask : all_lanes()),
               to.variable);
    } else if (mask) {
        store_some(value, to, at, mask);
    } else {
        tagged(b_.CreateAlignedStore(value, offset_pointer(to.pointer, at.offset), align), to.variable);
    }
}

}  // namespace muster::cpu
