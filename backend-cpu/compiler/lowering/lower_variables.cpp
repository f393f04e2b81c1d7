// Function and private variables: a slot per word, which becomes a register; or memory, if an index isn't
// constant, if the variable is large, or if it lives across barriers.
#include <muster/backend-cpu/compiler/lowering/lowering.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/ir/within.hpp>

namespace muster::cpu {
namespace {

// Limits in bytes, over all lanes, for one variable and for all variables on the stack;
// others go to scratch memory.
constexpr std::uint64_t stack_bytes = 8192;
constexpr std::uint64_t all_stack_bytes = 8 * stack_bytes;
constexpr std::uint64_t slot_words = Shapes::max_words;

}  // namespace

llvm::Type* Lowering::memory_type(Scalar scalar) {
    return scalar == Scalar::boolean ? b_.getInt32Ty() : scalar_type(scalar);
}

llvm::Value* Lowering::memory_form(llvm::Value* value) {
    llvm::Type* type = value->getType();
    if (!type->getScalarType()->isIntegerTy(1)) return value;
    return b_.CreateZExt(value, type->isVectorTy() ? vector_of(b_.getInt32Ty()) : b_.getInt32Ty());
}

llvm::Value* Lowering::value_form(llvm::Value* value, Scalar scalar) {
    llvm::Type* type = value->getType();
    if (info(scalar).bytes < 4 && type->getScalarSizeInBits() < 32) {
        llvm::Type* word = type->getWithNewType(b_.getInt32Ty());
        const bool is_signed = is_narrow(scalar) && widened(scalar) == Scalar::i32;
        return is_signed ? b_.CreateSExt(value, word) : b_.CreateZExt(value, word);
    }
    if (scalar != Scalar::boolean) return value;
    return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

Lane Lowering::load_lane(llvm::Value* from, Scalar scalar, Shape shape) {
    llvm::Type* type = memory_type(scalar);
    if (shape.is_varying()) type = vector_of(type);
    return shaped(shape, value_form(b_.CreateAlignedLoad(type, from, llvm::Align(4)), scalar));
}

void Lowering::store_lane(llvm::Value* to, llvm::Value* value) {
    b_.CreateAlignedStore(memory_form(value), to, llvm::Align(4));
}

void Lowering::lay_out_variables() {
    variable_storage_.resize(program_.variables().size());
    const std::vector<NodeId> tables = find_tables(program_);
    std::uint64_t on_stack = 0;
    for (std::uint32_t v = 0; v < variable_storage_.size(); ++v) {
        const Variable& variable = program_.variables()[v];
        if (!is_per_invocation(variable)) continue;
        VariableStorage& storage = variable_storage_[v];
        const std::uint64_t words = types_.scalar_words(variable.type);
        const bool indexed = shapes_.is_indexed({v});
        bool varies = false;
        for (std::uint64_t w = 0; w < std::min(words, slot_words); ++w)
            varies = varies || shapes_.of(VariableId{v}, w).is_varying();
        storage.stride = varies ? 4 * width_ : 4;
        if (tables[v] && (indexed || words > slot_words)) {
            storage.memory = table(tables[v]);
            storage.is_table = true;
            continue;
        }
        const bool is_kept = plan_.home({v}) == Home::kept;
        if (is_kept) {
            storage.kept_at = round_up(record_bytes_, storage.stride);
            record_bytes_ = storage.kept_at + words * storage.stride;
            storage.kept = true;
        }
        if (is_kept && (indexed || words > slot_words)) continue;
        if (indexed || words > slot_words) {
            const std::uint64_t bytes = words * storage.stride;
            const bool fits = bytes <= stack_bytes && on_stack + bytes <= all_stack_bytes;
            if (fits) on_stack += bytes;
            storage.memory =
                fits ? slot(llvm::ArrayType::get(b_.getInt32Ty(), bytes / 4), variable.name.c_str())
                     : offset_pointer(scratch_, take_scratch(bytes));
            if (auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(storage.memory))
                alloca->setAlignment(llvm::Align(64));
        } else {
            const auto of = words_of(variable.type);
            for (std::uint64_t w = 0; w < words; ++w) {
                llvm::Type* type = scalar_type(of[w].scalar);
                storage.slots.push_back(
                    slot(shapes_.of(VariableId{v}, w).is_varying() ? vector_of(type) : type,
                         variable.name.c_str()));
            }
        }
    }
}

// A constant's words, as read-only data of the image.
llvm::GlobalVariable* Lowering::table(NodeId constant) {
    llvm::GlobalVariable*& made = tables_[constant.index];
    if (made) return made;
    const auto words = program_.constant_words(constant);
    auto* data = llvm::ConstantDataArray::get(context_, llvm::ArrayRef(words.data(), words.size()));
    made = new llvm::GlobalVariable(*module_, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data,
                                    "table");
    made->setAlignment(llvm::Align(scratch_align));
    return made;
}

// Loads a kept variable into its slots before a region runs; put_kept() stores it afterwards.
void Lowering::fetch_kept(VariableId variable) {
    const VariableStorage& storage = variable_storage_[variable.index];
    llvm::Value* record = variable_memory(variable);
    for (std::uint64_t w = 0; w < storage.slots.size(); ++w) {
        llvm::Value* from = offset_pointer(record, w * storage.stride);
        const Lane found = load_lane(from, variable_scalar(variable, w), shapes_.of(variable, w));
        b_.CreateStore(found.value, storage.slots[w]);
    }
}

void Lowering::put_kept(VariableId variable) {
    const VariableStorage& storage = variable_storage_[variable.index];
    llvm::Value* record = variable_memory(variable);
    for (std::uint64_t w = 0; w < storage.slots.size(); ++w)
        store_lane(offset_pointer(record, w * storage.stride), read_variable(variable, w).value);
}

// The kept variables that a region accesses; true for those that it writes.
std::map<std::uint32_t, bool> Lowering::kept_variables(const PlanStep& step) const {
    std::map<std::uint32_t, bool> found;
    const auto visit = [&](NodeId node) {
        const Node& n = program_.node(node);
        if (n.op != Op::load && n.op != Op::store && n.op != Op::declare) return;
        const std::uint32_t v =
            n.op == Op::declare ? n.payload : program_.root_variable(program_.operand(node, 0)).index;
        if (variable_storage_[v].kept && !variable_storage_[v].slots.empty())
            found[v] = found[v] || n.op != Op::load;
    };
    for (const NodeId node : step.nodes) for_each_within(program_, node, visit);
    return found;
}

llvm::Value* Lowering::variable_memory(VariableId variable) {
    const VariableStorage& storage = variable_storage_[variable.index];
    if (storage.memory) return storage.memory;
    llvm::Value* record = b_.CreateMul(b_.CreateZExt(subgroup_, b_.getInt64Ty()), b_.getInt64(record_bytes_));
    return offset_pointer(offset_pointer(scratch_, records_at_ + storage.kept_at), record);
}

llvm::Value* Lowering::variable_address(VariableId variable, std::uint64_t word) {
    const VariableStorage& storage = variable_storage_[variable.index];
    if (!storage.slots.empty()) return storage.slots[word];
    return offset_pointer(variable_memory(variable), word * storage.stride);
}

Scalar Lowering::variable_scalar(VariableId variable, std::uint64_t word) {
    return words_of(program_.variable(variable).type)[word].scalar;
}

Lane Lowering::read_variable(VariableId variable, std::uint64_t word) {
    const Shape shape = shapes_.of(variable, word);
    const Scalar scalar = variable_scalar(variable, word);
    llvm::Value* from = variable_address(variable, word);
    if (variable_storage_[variable.index].slots.empty()) return load_lane(from, scalar, shape);
    llvm::Type* type = scalar_type(scalar);
    return shaped(shape, b_.CreateLoad(shape.is_varying() ? vector_of(type) : type, from));
}

void Lowering::write_variable(VariableId variable, std::uint64_t word, const Lane& lane, bool divergent) {
    const Shape shape = shapes_.of(variable, word);
    if (!unwritten_slots_.empty() && unwritten_slots_.contains(variable_address(variable, word))) return;
    llvm::Value* value = fit(lane, shape).value;
    if (divergent && mask_ && shape.is_varying()) {
        llvm::Value* before = read_variable(variable, word).value;
        value = value == all_lanes() ? b_.CreateOr(before, mask_) : b_.CreateSelect(mask_, value, before);
    }
    llvm::Value* to = variable_address(variable, word);
    if (variable_storage_[variable.index].slots.empty()) return store_lane(to, value);
    b_.CreateStore(value, to);
}

// Stores the initial value, or zero.
void Lowering::initialise(VariableId variable, NodeId initial, bool divergent) {
    const VariableStorage& storage = variable_storage_[variable.index];
    if (storage.is_table) return;
    const std::uint64_t words = types_.scalar_words(program_.variable(variable).type);
    if (initial && program_.node(initial).op == Op::constant &&
        program_.node(initial).payload == zero_constant)
        initial = {};
    if (!initial && storage.slots.empty() && !divergent) {
        b_.CreateMemSetInline(variable_memory(variable), llvm::Align(4), b_.getInt8(0),
                              b_.getInt64(words * storage.stride));
        return;
    }
    if (words > slot_words) return fill(variable, initial, words, divergent);
    if (initial) {
        const Lanes lanes = value(initial);
        for (std::uint64_t w = 0; w < words; ++w) write_variable(variable, w, lanes[w], divergent);
        return;
    }
    for (std::uint64_t w = 0; w < words; ++w) {
        llvm::Type* type = scalar_type(variable_scalar(variable, w));
        write_variable(variable, w, {.value = llvm::Constant::getNullValue(type)}, divergent);
    }
}

// Stores a large constant, or zero, word by word in a loop.
void Lowering::fill(VariableId variable, NodeId constant, std::uint64_t words, bool divergent) {
    const VariableStorage& storage = variable_storage_[variable.index];
    const bool varies = shapes_.of(variable, 0).is_varying();
    llvm::Value *memory = variable_memory(variable), *from = constant ? table(constant) : nullptr;
    llvm::BasicBlock *before = b_.GetInsertBlock(), *each = block("fill"), *after = block("filled");
    b_.CreateBr(each);
    b_.SetInsertPoint(each);
    llvm::PHINode* w = b_.CreatePHI(b_.getInt64Ty(), 2, "word");
    w->addIncoming(b_.getInt64(0), before);
    llvm::Value* found = word(0);
    if (from)
        found = b_.CreateAlignedLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), from, w), llvm::Align(4));
    llvm::Value* to = offset_pointer(memory, b_.CreateMul(w, b_.getInt64(storage.stride)));
    if (varies) found = as_vector(found);
    if (divergent && varies && mask_)
        found = b_.CreateSelect(mask_, found, b_.CreateAlignedLoad(found->getType(), to, llvm::Align(4)));
    b_.CreateAlignedStore(found, to, llvm::Align(4));
    llvm::Value* next = b_.CreateAdd(w, b_.getInt64(1));
    w->addIncoming(next, each);
    b_.CreateCondBr(b_.CreateICmpEQ(next, b_.getInt64(words)), after, each);
    b_.SetInsertPoint(after);
}

// The sum of the indices' contributions, in words, and whether each index is within its bounds.
Lowering::WordIndex Lowering::word_index(NodeId access, const Place& place) {
    const bool proven = is_proven(access);
    WordIndex sum{.words = {.value = word(0)}};
    for (const PlaceStep& step : place.steps) {
        const Lane index = word_of(step.index, 0);
        if (!proven)
            sum.valid = both(sum.valid, index_valid(index, word(static_cast<std::uint32_t>(step.count))));
        llvm::Value* stride = word(static_cast<std::uint32_t>(step.stride));
        if (index.is_uniform() && !sum.words.varying) {
            sum.words.value = b_.CreateAdd(sum.words.value, b_.CreateMul(index.value, stride));
        } else {
            llvm::Value* scaled = b_.CreateMul(as_vector(index), as_vector(stride));
            sum.words = {.value = b_.CreateAdd(as_vector(sum.words), scaled), .varying = true};
        }
    }
    return sum;
}

Lanes Lowering::load_variable(NodeId node, const Place& place) {
    const auto words = types_.scalar_words(place.type);
    Lanes lanes;
    if (place.steps.empty()) {
        for (std::uint64_t w = 0; w < words; ++w)
            lanes.push_back(fit(read_variable(place.variable, place.offset + w), shapes_.of(node, w)));
        return lanes;
    }
    const WordIndex index = word_index(node, place);
    const Shape held = shapes_.of(place.variable, 0);
    const std::uint32_t stride = variable_storage_[place.variable.index].stride;
    const auto scalars = words_of(place.type);
    for (std::uint64_t w = 0; w < words; ++w) {
        llvm::Type* type = memory_type(scalars[w].scalar);
        llvm::Value* base = offset_pointer(variable_memory(place.variable), (place.offset + w) * stride);
        llvm::Value* found = nullptr;
        if (!index.words.varying) {
            llvm::Value* at =
                index.valid ? b_.CreateSelect(index.valid, index.words.value, word(0)) : index.words.value;
            if (held.is_varying()) type = vector_of(type);
            at = b_.CreateMul(b_.CreateZExt(at, b_.getInt64Ty()), b_.getInt64(stride));
            found = b_.CreateAlignedLoad(type, offset_pointer(base, at), llvm::Align(4));
            if (index.valid) found = b_.CreateSelect(index.valid, found, llvm::Constant::getNullValue(type));
            lanes.push_back(fit(shaped(held, value_form(found, scalars[w].scalar)), shapes_.of(node, w)));
            continue;
        }
        // Inactive lanes read element 0: without a mask, no machine needs branches for the gather.
        llvm::Value *at = index.words.value, *zeros = llvm::Constant::getNullValue(at->getType());
        if (llvm::Value* mask = both(mask_, index.valid)) at = b_.CreateSelect(as_vector(mask), at, zeros);
        if (held.is_varying()) {
            at = b_.CreateMul(at, as_vector(word(width_)));
            at = b_.CreateAdd(at, lane_constants(offsets_[offsets_.counting()]));
        }
        type = vector_of(type);
        found = b_.CreateMaskedGather(type, b_.CreateGEP(b_.getInt32Ty(), base, at), llvm::Align(4));
        if (index.valid)
            found = b_.CreateSelect(as_vector(index.valid), found, llvm::Constant::getNullValue(type));
        lanes.push_back({.value = value_form(found, scalars[w].scalar), .varying = true});
    }
    return lanes;
}

void Lowering::store_variable(NodeId node, const Place& place, const Lanes& lanes) {
    const bool divergent = shapes_.is_divergent_write(node);
    if (place.steps.empty()) {
        for (std::size_t w = 0; w < lanes.size(); ++w)
            write_variable(place.variable, place.offset + w, lanes[w], divergent);
        return;
    }
    const WordIndex index = word_index(node, place);
    const Shape held = shapes_.of(place.variable, 0);
    const std::uint32_t stride = variable_storage_[place.variable.index].stride;
    for (std::size_t w = 0; w < lanes.size(); ++w) {
        llvm::Value* base = offset_pointer(variable_memory(place.variable), (place.offset + w) * stride);
        llvm::Value* value = memory_form(fit(lanes[w], held).value);
        if (!index.words.varying) {
            llvm::Value* at =
                index.valid ? b_.CreateSelect(index.valid, index.words.value, word(0)) : index.words.value;
            at = offset_pointer(base, b_.CreateMul(b_.CreateZExt(at, b_.getInt64Ty()), b_.getInt64(stride)));
            llvm::Value* mask = both(divergent && held.is_varying() ? mask_ : nullptr, index.valid);
            if (mask)
                value =
                    b_.CreateSelect(mask, value, b_.CreateAlignedLoad(value->getType(), at, llvm::Align(4)));
            b_.CreateAlignedStore(value, at, llvm::Align(4));
            continue;
        }
        llvm::Value* at = b_.CreateMul(index.words.value, as_vector(word(width_)));
        at = b_.CreateAdd(at, lane_constants(offsets_[offsets_.counting()]));
        llvm::Value* mask = both(mask_, index.valid);
        b_.CreateMaskedScatter(value, b_.CreateGEP(b_.getInt32Ty(), base, at), llvm::Align(4),
                               mask ? mask : all_lanes());
    }
}

}  // namespace muster::cpu
