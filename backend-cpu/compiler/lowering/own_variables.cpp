#include <algorithm>

#include <muster/backend-cpu/compiler/lowering/own_variables.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/ir/access.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {
namespace {

// Limits in bytes, over all lanes, for one variable and for all variables on the stack;
// others go to scratch memory.
constexpr std::uint64_t stack_bytes = 8192;
constexpr std::uint64_t all_stack_bytes = 8 * stack_bytes;
constexpr std::uint64_t slot_words = Shapes::max_words;

}  // namespace

void OwnVariables::lay_out() {
    const std::vector<NodeId> tables = find_tables(program_);
    std::uint64_t on_stack = 0;
    for (std::uint32_t v = 0; v < storage_.size(); ++v) {
        const Variable& variable = program_.variables()[v];
        if (!is_per_invocation(variable)) continue;
        Storage& storage = storage_[v];
        const std::uint64_t words = types_.scalar_words(variable.type);
        const bool in_memory = shapes_.is_indexed({v}) || words > slot_words;
        bool varies = false;
        for (std::uint64_t w = 0; w < std::min(words, slot_words); ++w)
            varies = varies || shapes_.of(VariableId{v}, w).is_varying();
        storage.stride = varies ? 4 * width_ : 4;
        if (tables[v] && in_memory) {
            storage.memory = table(tables[v]);
            storage.is_table = true;
            continue;
        }
        storage.kept = plan_.home({v}) == Home::kept;
        if (storage.kept) storage.kept_at = scratch_.take_in_record(words, storage.stride);
        if (in_memory && !storage.kept) {
            const std::uint64_t bytes = words * storage.stride;
            const bool fits = bytes <= stack_bytes && on_stack + bytes <= all_stack_bytes;
            if (fits) on_stack += bytes;
            storage.memory =
                fits ? b_.slot(llvm::ArrayType::get(b_.getInt32Ty(), bytes / 4), variable.name.c_str())
                     : scratch_.at(scratch_.take(bytes));
            if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(storage.memory))
                alloca->setAlignment(llvm::Align(64));
        } else if (!in_memory) {
            const auto of = words_of(variable.type);
            for (std::uint64_t w = 0; w < words; ++w) {
                llvm::Type* type = b_.scalar_type(of[w].scalar);
                storage.slots.push_back(
                    b_.slot(shapes_.of(VariableId{v}, w).is_varying() ? b_.vector_of(type) : type,
                            variable.name.c_str()));
            }
        }
    }
}

void OwnVariables::show_in(DebugInfo& debug) {
    for (std::uint32_t v = 0; v < storage_.size(); ++v) {
        std::vector<DebugWord> slots;
        for (Value* slot : storage_[v].slots) {
            const std::uint64_t word = slots.size();
            slots.push_back({.value = slot,
                             .type = llvm::cast<llvm::AllocaInst>(slot)->getAllocatedType(),
                             .scalar = scalar_of({v}, word),
                             .of_lane_0 = shapes_.of(VariableId{v}, word).offsets != 0});
        }
        debug.show(program_.variables()[v], slots, b_.GetInsertBlock());
    }
}

// A constant's words, as read-only data of the image.
llvm::GlobalVariable* OwnVariables::table(NodeId constant) {
    llvm::GlobalVariable*& made = tables_[constant.index];
    if (made) return made;
    const auto words = program_.constant_words(constant);
    auto* data = llvm::ConstantDataArray::get(b_.getContext(), llvm::ArrayRef(words.data(), words.size()));
    made = new llvm::GlobalVariable(*b_.GetInsertBlock()->getModule(), data->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, data, "table");
    made->setAlignment(llvm::Align(scratch_align));
    return made;
}

void OwnVariables::fetch_kept(VariableId variable) {
    const Storage& storage = storage_[variable.index];
    Value* record = memory_of(variable);
    for (std::uint64_t w = 0; w < storage.slots.size(); ++w) {
        Value* from = b_.offset_pointer(record, w * storage.stride);
        const Lane found = b_.load_lane(from, scalar_of(variable, w), shapes_.of(variable, w));
        b_.CreateStore(found.value, storage.slots[w]);
    }
}

void OwnVariables::put_kept(VariableId variable) {
    const Storage& storage = storage_[variable.index];
    Value* record = memory_of(variable);
    for (std::uint64_t w = 0; w < storage.slots.size(); ++w)
        b_.store_lane(b_.offset_pointer(record, w * storage.stride), read(variable, w).value);
}

std::map<std::uint32_t, bool> OwnVariables::kept_among(std::span<const NodeId> nodes) const {
    std::map<std::uint32_t, bool> found;
    const auto visit = [&](NodeId node) {
        const VariableId variable = accessed(program_, node);
        if (!variable) return;
        const std::uint32_t v = variable.index;
        const bool is_written = program_.node(node).op != Op::load;
        if (storage_[v].kept && !storage_[v].slots.empty()) found[v] = found[v] || is_written;
    };
    for (const NodeId node : nodes) for_each_within(program_, node, visit);
    return found;
}

Value* OwnVariables::memory_of(VariableId variable) {
    const Storage& storage = storage_[variable.index];
    if (storage.memory) return storage.memory;
    return scratch_.in_record(storage.kept_at);
}

Value* OwnVariables::address_of(VariableId variable, std::uint64_t word) {
    const Storage& storage = storage_[variable.index];
    if (!storage.slots.empty()) return storage.slots[word];
    return b_.offset_pointer(memory_of(variable), word * storage.stride);
}

Scalar OwnVariables::scalar_of(VariableId variable, std::uint64_t word) const {
    return words_of(program_.variable(variable).type)[word].scalar;
}

Lane OwnVariables::read(VariableId variable, std::uint64_t word) {
    const Shape shape = shapes_.of(variable, word);
    const Scalar scalar = scalar_of(variable, word);
    Value* from = address_of(variable, word);
    if (storage_[variable.index].slots.empty()) return b_.load_lane(from, scalar, shape);
    llvm::Type* type = b_.scalar_type(scalar);
    return shaped(shape, b_.CreateLoad(shape.is_varying() ? b_.vector_of(type) : type, from));
}

void OwnVariables::write(VariableId variable, std::uint64_t word, const Lane& lane, bool divergent) {
    const Shape shape = shapes_.of(variable, word);
    if (!unwritten_.empty() && unwritten_.contains(address_of(variable, word))) return;
    Value* value = b_.fit(lane, shape).value;
    if (divergent && b_.mask && shape.is_varying()) {
        Value* before = read(variable, word).value;
        value =
            value == b_.all_lanes() ? b_.CreateOr(before, b_.mask) : b_.CreateSelect(b_.mask, value, before);
    }
    Value* to = address_of(variable, word);
    if (storage_[variable.index].slots.empty()) return b_.store_lane(to, value);
    b_.CreateStore(value, to);
}

bool OwnVariables::has_private(Home home) const {
    const auto variables = program_.variables();
    for (std::uint32_t v = 0; v < variables.size(); ++v)
        if (variables[v].space == AddressSpace::private_ && plan_.home({v}) == home) return true;
    return false;
}

void OwnVariables::initialise_private(Home home) {
    const auto variables = program_.variables();
    std::vector<VariableId> to_keep;
    for (std::uint32_t v = 0; v < variables.size(); ++v) {
        if (variables[v].space != AddressSpace::private_ || plan_.home({v}) != home) continue;
        initialise({v}, variables[v].initial, false);
        if (storage_[v].kept) to_keep.push_back({v});
    }
    for (const VariableId variable : to_keep) put_kept(variable);
}

void OwnVariables::initialise(VariableId variable, NodeId initial, bool divergent) {
    const Storage& storage = storage_[variable.index];
    if (storage.is_table) return;
    const std::uint64_t words = types_.scalar_words(program_.variable(variable).type);
    if (initial && program_.node(initial).op == Op::constant &&
        program_.node(initial).payload == zero_constant)
        initial = {};
    if (!initial && storage.slots.empty() && !divergent) {
        b_.CreateMemSetInline(memory_of(variable), llvm::Align(4), b_.getInt8(0),
                              b_.getInt64(words * storage.stride));
        return;
    }
    if (words > slot_words) return fill(variable, initial, words, divergent);
    if (initial) {
        const Lanes lanes = values_.value(initial);
        for (std::uint64_t w = 0; w < words; ++w) write(variable, w, lanes[w], divergent);
        return;
    }
    for (std::uint64_t w = 0; w < words; ++w) {
        llvm::Type* type = b_.scalar_type(scalar_of(variable, w));
        write(variable, w, {.value = llvm::Constant::getNullValue(type)}, divergent);
    }
}

// Stores a large constant, or zero, word by word in a loop.
void OwnVariables::fill(VariableId variable, NodeId constant, std::uint64_t words, bool divergent) {
    const Storage& storage = storage_[variable.index];
    const bool varies = shapes_.of(variable, 0).is_varying();
    Value *memory = memory_of(variable), *from = constant ? table(constant) : nullptr;
    BasicBlock *before = b_.GetInsertBlock(), *each = b_.block("fill"), *after = b_.block("filled");
    b_.CreateBr(each);
    b_.SetInsertPoint(each);
    PHINode* w = b_.CreatePHI(b_.getInt64Ty(), 2, "word");
    w->addIncoming(b_.getInt64(0), before);
    Value* found = b_.word(0);
    if (from)
        found = b_.CreateAlignedLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), from, w), llvm::Align(4));
    Value* to = b_.offset_pointer(memory, b_.CreateMul(w, b_.getInt64(storage.stride)));
    if (varies) found = b_.as_vector(found);
    if (divergent && varies && b_.mask)
        found = b_.CreateSelect(b_.mask, found, b_.CreateAlignedLoad(found->getType(), to, llvm::Align(4)));
    b_.CreateAlignedStore(found, to, llvm::Align(4));
    Value* next = b_.CreateAdd(w, b_.getInt64(1));
    w->addIncoming(next, each);
    b_.CreateCondBr(b_.CreateICmpEQ(next, b_.getInt64(words)), after, each);
    b_.SetInsertPoint(after);
}

// The sum of the indices' contributions, in words, and whether each index is within its bounds.
OwnVariables::WordIndex OwnVariables::word_index(NodeId access, const Place& place) {
    const bool proven = assumptions_.is_proven(access);
    WordIndex sum{.words = {.value = b_.word(0)}};
    for (const PlaceStep& step : place.steps) {
        const Lane index = values_.word(step.index, 0);
        if (!proven)
            sum.valid =
                b_.both(sum.valid, b_.is_below(index, b_.word(static_cast<std::uint32_t>(step.count))));
        Value* stride = b_.word(static_cast<std::uint32_t>(step.stride));
        if (index.is_uniform() && !sum.words.varying) {
            sum.words.value = b_.CreateAdd(sum.words.value, b_.CreateMul(index.value, stride));
        } else {
            Value* scaled = b_.CreateMul(b_.as_vector(index), b_.as_vector(stride));
            sum.words = {.value = b_.CreateAdd(b_.as_vector(sum.words), scaled), .varying = true};
        }
    }
    return sum;
}

// The element at an index that all lanes share, or the first one if it isn't valid.
Value* OwnVariables::element(Value* base, const WordIndex& index, std::uint32_t stride) {
    Value* at = index.words.value;
    if (index.valid) at = b_.CreateSelect(index.valid, at, b_.word(0));
    return b_.offset_pointer(base, b_.CreateMul(b_.CreateZExt(at, b_.getInt64Ty()), b_.getInt64(stride)));
}

Lanes OwnVariables::load(NodeId node, const Place& place) {
    const auto words = types_.scalar_words(place.type);
    Lanes lanes;
    if (place.steps.empty()) {
        for (std::uint64_t w = 0; w < words; ++w)
            lanes.push_back(b_.fit(read(place.variable, place.offset + w), shapes_.of(node, w)));
        return lanes;
    }
    const WordIndex index = word_index(node, place);
    const Shape held = shapes_.of(place.variable, 0);
    const std::uint32_t stride = storage_[place.variable.index].stride;
    const auto scalars = words_of(place.type);
    for (std::uint64_t w = 0; w < words; ++w) {
        llvm::Type* type = b_.memory_type(scalars[w].scalar);
        Value* base = b_.offset_pointer(memory_of(place.variable), (place.offset + w) * stride);
        Value* found = nullptr;
        if (!index.words.varying) {
            if (held.is_varying()) type = b_.vector_of(type);
            found = b_.CreateAlignedLoad(type, element(base, index, stride), llvm::Align(4));
            if (index.valid) found = b_.CreateSelect(index.valid, found, llvm::Constant::getNullValue(type));
            lanes.push_back(
                b_.fit(shaped(held, b_.value_form(found, scalars[w].scalar)), shapes_.of(node, w)));
            continue;
        }
        // Inactive lanes read element 0: without a mask, no machine needs branches for the gather.
        Value *at = index.words.value, *zeros = llvm::Constant::getNullValue(at->getType());
        if (Value* mask = b_.both(b_.mask, index.valid)) at = b_.CreateSelect(b_.as_vector(mask), at, zeros);
        if (held.is_varying()) {
            at = b_.CreateMul(at, b_.as_vector(b_.word(width_)));
            at = b_.CreateAdd(at, b_.lane_constants(offsets_[offsets_.counting()]));
        }
        type = b_.vector_of(type);
        found = b_.CreateMaskedGather(type, b_.CreateGEP(b_.getInt32Ty(), base, at), llvm::Align(4));
        if (index.valid)
            found = b_.CreateSelect(b_.as_vector(index.valid), found, llvm::Constant::getNullValue(type));
        lanes.push_back({.value = b_.value_form(found, scalars[w].scalar), .varying = true});
    }
    return lanes;
}

void OwnVariables::store(NodeId node, const Place& place, const Lanes& lanes) {
    const bool divergent = shapes_.is_divergent_write(node);
    if (place.steps.empty()) {
        for (std::size_t w = 0; w < lanes.size(); ++w)
            write(place.variable, place.offset + w, lanes[w], divergent);
        return;
    }
    const WordIndex index = word_index(node, place);
    const Shape held = shapes_.of(place.variable, 0);
    const std::uint32_t stride = storage_[place.variable.index].stride;
    for (std::size_t w = 0; w < lanes.size(); ++w) {
        Value* base = b_.offset_pointer(memory_of(place.variable), (place.offset + w) * stride);
        Value* value = b_.memory_form(b_.fit(lanes[w], held).value);
        if (!index.words.varying) {
            Value* at = element(base, index, stride);
            Value* mask = b_.both(divergent && held.is_varying() ? b_.mask : nullptr, index.valid);
            if (mask)
                value =
                    b_.CreateSelect(mask, value, b_.CreateAlignedLoad(value->getType(), at, llvm::Align(4)));
            b_.CreateAlignedStore(value, at, llvm::Align(4));
            continue;
        }
        Value* at = b_.CreateMul(index.words.value, b_.as_vector(b_.word(width_)));
        at = b_.CreateAdd(at, b_.lane_constants(offsets_[offsets_.counting()]));
        Value* mask = b_.both(b_.mask, index.valid);
        b_.CreateMaskedScatter(value, b_.CreateGEP(b_.getInt32Ty(), base, at), llvm::Align(4),
                               mask ? mask : b_.all_lanes());
    }
}

}  // namespace muster::cpu
