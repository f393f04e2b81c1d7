// The kernel's function: its arguments, and the loop over workgroups.
#include <algorithm>
#include <bit>
#include <cstddef>

#include <fmt/format.h>

#include <muster/backend-cpu/compile/operations.hpp>
#include <muster/backend-cpu/compiler/lowering/choose_width.hpp>
#include <muster/backend-cpu/compiler/lowering/large_values.hpp>
#include <muster/backend-cpu/compiler/lowering/lowering.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/expand/expand.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint32_t zero_bytes = 256;
constexpr std::uint64_t max_cost = UINT32_MAX;
constexpr std::uint64_t operations_of_mathematics = 50;  // estimate per function

}  // namespace

Lowering::Lowering(llvm::LLVMContext& context, const Program& program, Plan plan, const LowerOptions& options,
                   const Program& given)
    : context_(context),
      program_(program),
      types_(program.types()),
      options_(options),
      width_(choose_width(options, program)),
      plan_(std::move(plan)),
      offsets_(width_),
      geometry_(program.workgroup_size(), packed_workgroups(program, width_), offsets_),
      shapes_(program, geometry_, offsets_),
      ranges_(analyse_ranges(program)),
      module_(std::make_unique<llvm::Module>("muster", context)),
      given_(given),
      b_(context),
      data_(program.variables().size()),
      bytes_(data_),
      lengths_(data_),
      workgroup_at_(program.variables().size()),
      alias_(program.variables().size()),
      no_alias_(program.variables().size()),
      values_(program.node_count()),
      used_(program.node_count(), false),
      kept_in_slots_(program.node_count(), false) {
    for (NodeId id{0}; id.index < program.node_count(); ++id.index)
        for (const NodeId operand : program.operands(id)) used_[operand.index] = true;
}

Result<LoweredKernel> Lowering::run() && {
    declare_kernel();
    read_arguments();
    lay_out_scratch();
    strides_ = find_strides(program_, shapes_);
    over_workgroups();
    debug_.reset();
    return LoweredKernel{
        .module = std::move(module_), .scratch_bytes = scratch_bytes_, .cost = cost(), .width = width_};
}

void Lowering::declare_kernel() {
    llvm::Type* pointer = b_.getPtrTy();
    auto* type =
        llvm::FunctionType::get(b_.getVoidTy(), {pointer, b_.getInt64Ty(), b_.getInt64Ty(), pointer}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel_symbol, *module_);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    function_->addFnAttr("no-builtins");
    prepare_function(*function_, options_);
    function_->addParamAttr(0, llvm::Attribute::NoAlias);
    function_->addParamAttr(0, llvm::Attribute::ReadOnly);
    function_->addParamAttr(3, llvm::Attribute::NoAlias);
    function_->addParamAttr(3, llvm::Attribute::getWithAlignment(context_, llvm::Align(scratch_align)));
    auto* zeros = llvm::ArrayType::get(b_.getInt8Ty(), zero_bytes);
    auto* global = new llvm::GlobalVariable(*module_, zeros, true, llvm::GlobalValue::PrivateLinkage,
                                            llvm::ConstantAggregateZero::get(zeros), "zeros");
    global->setAlignment(llvm::Align(scratch_align));
    zeros_ = global;
    if (options_.debug) {
        debug_.emplace(*module_, given_).enter(*function_);
        given_nodes_ = given_nodes(program_, given_);
    }
    entry_ = block("entry");
    b_.SetInsertPoint(entry_);
    scratch_ = function_->getArg(3);
}

void Lowering::read_arguments() {
    llvm::Value* arguments = function_->getArg(0);
    llvm::Value* bindings = b_.CreateLoad(b_.getPtrTy(), arguments, "bindings");
    for (unsigned k = 0; k < 3; ++k)
        grid_[k] = b_.CreateLoad(b_.getInt32Ty(),
                                 offset_pointer(arguments, offsetof(KernelArguments, grid) + 4 * k), "grid");
    const auto bound = program_.bindings();
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const std::uint32_t v = bound[i].index;
        const std::uint64_t at = i * sizeof(KernelBinding);
        auto* data = b_.CreateLoad(b_.getPtrTy(), offset_pointer(bindings, at), program_.variables()[v].name);
        bytes_[v] =
            b_.CreateLoad(b_.getInt64Ty(), offset_pointer(bindings, at + offsetof(KernelBinding, bytes)));
        data_[v] = data;
        // A uniform is there in full, so loads of it may leave a loop that may not reach them.
        if (program_.variables()[v].space == AddressSpace::uniform) {
            const auto number = [&](std::uint64_t value) {
                return llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(b_.getInt64(value)));
            };
            data->setMetadata(llvm::LLVMContext::MD_dereferenceable,
                              number(types_[program_.variables()[v].type].size));
            data->setMetadata(llvm::LLVMContext::MD_align, number(4));
        }
        const RuntimeArray array = runtime_array(types_, program_.variables()[v].type);
        if (array.stride == 0) continue;
        llvm::Value* bytes = b_.CreateSub(bytes_[v], b_.getInt64(array.offset));
        lengths_[v] =
            b_.CreateTrunc(b_.CreateUDiv(bytes, b_.getInt64(array.stride)), b_.getInt32Ty(), "length");
    }
    llvm::MDBuilder metadata(context_);
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("muster");
    // One alias scope for each shared variable, and one for all of an invocation's own variables.
    std::vector<llvm::Metadata*> scopes{metadata.createAnonymousAliasScope(domain)};
    std::vector<std::size_t> scope_of(data_.size(), 0);
    for (std::size_t v = 0; v < data_.size(); ++v) {
        if (is_per_invocation(program_.variables()[v])) continue;
        scope_of[v] = scopes.size();
        scopes.push_back(metadata.createAnonymousAliasScope(domain));
    }
    const auto others_of = [&](std::size_t scope) {
        std::vector<llvm::Metadata*> others = scopes;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(scope));
        return llvm::MDNode::get(context_, others);
    };
    llvm::MDNode* not_per_invocation = others_of(0);
    for (std::size_t v = 0; v < data_.size(); ++v) {
        alias_[v] = llvm::MDNode::get(context_, scopes[scope_of[v]]);
        no_alias_[v] = scope_of[v] == 0 ? not_per_invocation : others_of(scope_of[v]);
    }
}

std::uint64_t Lowering::take_scratch(std::uint64_t bytes) {
    const std::uint64_t at = round_up(scratch_bytes_, scratch_align);
    scratch_bytes_ = at + bytes;
    return at;
}

// Scratch: workgroup variables, large variables of one subgroup, then a record per subgroup of
// what lives across barriers.
void Lowering::lay_out_scratch() {
    for (std::uint32_t v = 0; v < program_.variables().size(); ++v) {
        const Variable& variable = program_.variables()[v];
        if (variable.space != AddressSpace::workgroup) continue;
        const std::uint64_t around = options_.machine.has_masks() ? 0 : round_up(4 * width_, scratch_align);
        workgroup_at_[v] =
            take_scratch(types_[variable.type].size + 2 * around) + around;  // see store_some()
    }
    lay_out_variables();
    for (const NodeId kept : plan_.kept()) {
        const std::uint64_t words = types_.scalar_words(program_.type(kept)), stride = kept_stride(kept);
        kept_at_[kept.index] = round_up(record_bytes_, stride);
        record_bytes_ = kept_at_[kept.index] + words * stride;
    }
    record_bytes_ = round_up(record_bytes_, scratch_align);
    records_at_ = take_scratch(record_bytes_ * geometry_.subgroups);
    if (!plan_.has_barriers()) return;
    const auto visit = [&](auto& self, const std::vector<PlanStep>& steps) -> void {
        for (const PlanStep& step : steps) {
            if (step.kind == PlanStep::Kind::region) {
                const PlanRegion& region = plan_.region(step.region);
                left_by_regions_.insert(region.left.begin(), region.left.end());
                keeps_returned_ = keeps_returned_ || region.returns;
            }
            for (const auto& inner : step.blocks) self(self, inner);
        }
    };
    visit(visit, plan_.body());
    if (keeps_returned_) returned_at_ = take_scratch(8 * std::uint64_t{geometry_.subgroups});
}

std::uint64_t Lowering::kept_stride(NodeId node) const {
    const std::uint64_t words = std::min(types_.scalar_words(program_.type(node)), Shapes::max_words);
    for (std::uint64_t w = 0; w < words; ++w)
        if (shapes_.of(node, w).is_varying()) return 4 * std::uint64_t{width_};
    return 4;
}

// Loops over the workgroups [begin, end) within extent, x fastest: one division at the start, then counting.
void Lowering::over_workgroups() {
    llvm::Value *arguments = function_->getArg(0), *begin = function_->getArg(1), *end = function_->getArg(2);
    const auto field = [&](std::size_t offset, unsigned k, const char* name) {
        return b_.CreateLoad(b_.getInt32Ty(), offset_pointer(arguments, offset + 4 * k), name);
    };
    std::array<llvm::Value*, 3> origin{}, extent{};
    for (unsigned k = 0; k < 3; ++k) {
        origin[k] = field(offsetof(KernelArguments, origin), k, "origin");
        extent[k] = field(offsetof(KernelArguments, extent), k, "extent");
    }
    llvm::BasicBlock *first = block("first"), *each = block("workgroup"), *done = block("done");
    b_.CreateCondBr(b_.CreateICmpULT(begin, end), first, done);
    b_.SetInsertPoint(first);
    llvm::Value *wide_x = b_.CreateZExt(extent[0], b_.getInt64Ty()),
                *wide_y = b_.CreateZExt(extent[1], b_.getInt64Ty());
    llvm::Value* row = b_.CreateUDiv(begin, wide_x);
    std::array<llvm::Value*, 3> start{b_.CreateURem(begin, wide_x), b_.CreateURem(row, wide_y),
                                      b_.CreateUDiv(row, wide_y)};
    for (llvm::Value*& coordinate : start) coordinate = b_.CreateTrunc(coordinate, b_.getInt32Ty());
    b_.CreateBr(each);
    b_.SetInsertPoint(each);
    llvm::PHINode* number = b_.CreatePHI(b_.getInt64Ty(), 2, "number");
    number->addIncoming(begin, first);
    std::array<llvm::PHINode*, 3> place{};
    for (unsigned k = 0; k < 3; ++k) {
        place[k] = b_.CreatePHI(b_.getInt32Ty(), 2, "place");
        place[k]->addIncoming(start[k], first);
    }
    for (unsigned k = 0; k < 3; ++k) workgroup_[k] = b_.CreateAdd(origin[k], place[k]);
    packed_now_ = word(1);
    if (geometry_.packed_workgroups > 1) {  // up to the end of the row or of the range
        const auto least = [&](llvm::Value* a, llvm::Value* b) {
            return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
        };
        llvm::Value* asked = least(b_.CreateSub(end, number), b_.getInt64(geometry_.packed_workgroups));
        packed_now_ = least(b_.CreateTrunc(asked, b_.getInt32Ty()), b_.CreateSub(extent[0], place[0]));
    }
    workgroup_end_ = block("next_workgroup");
    guarded_or_not();
    b_.SetInsertPoint(workgroup_end_);
    llvm::Value* carry = nullptr;
    for (unsigned k = 0; k < 3; ++k) {
        llvm::Value* up = b_.CreateAdd(place[k], carry ? b_.CreateZExt(carry, b_.getInt32Ty()) : packed_now_);
        llvm::Value* wraps = b_.CreateICmpEQ(up, extent[k]);
        place[k]->addIncoming(k < 2 ? b_.CreateSelect(wraps, word(0), up) : up, workgroup_end_);
        carry = both(carry, wraps);
    }
    llvm::Value* next = b_.CreateAdd(number, b_.CreateZExt(packed_now_, b_.getInt64Ty()));
    number->addIncoming(next, workgroup_end_);
    b_.CreateCondBr(b_.CreateICmpEQ(next, end), done, each);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
}

std::uint32_t Lowering::cost() const {
    constexpr std::size_t most_loops = 16;  // more aren't worth the time to count them
    std::vector<NodeId> all_loops;
    for (NodeId id{0}; id.index < program_.node_count(); ++id.index)
        if (program_.node(id).op == Op::loop) all_loops.push_back(id);
    if (all_loops.size() > most_loops) return 0;
    const Loops loops(program_);
    std::vector<std::pair<NodeId, std::uint64_t>> trips;
    for (const NodeId loop : all_loops) {
        const auto most = loops.max_trip_count(loop);
        if (!most) return 0;
        trips.emplace_back(loop, *most);
    }
    std::uint64_t operations = 4;
    for (NodeId id{0}; id.index < program_.node_count(); ++id.index) {
        const bool is_math = info(program_.node(id).op).group == OpGroup::math;
        std::uint64_t each = is_math ? operations_of_mathematics + 1 : 1;
        for (const auto& [loop, most] : trips)
            if (loops.is_inside(loop, id) && __builtin_mul_overflow(each, most, &each)) return 0;
        if (each > max_cost) return 0;
        operations += each;
    }
    if (operations > max_cost) return 0;
    return static_cast<std::uint32_t>(std::min(max_cost, operations * geometry_.subgroups));
}

llvm::Type* Lowering::scalar_type(Scalar scalar) {
    switch (scalar) {
        case Scalar::boolean: return b_.getInt1Ty();
        case Scalar::i32:
        case Scalar::u32:
        case Scalar::f16:
        case Scalar::i8:
        case Scalar::u8:
        case Scalar::i16:
        case Scalar::u16: return b_.getInt32Ty();
        case Scalar::f32: return b_.getFloatTy();
        case Scalar::i64:
        case Scalar::u64: return b_.getInt64Ty();
        case Scalar::f64: return b_.getDoubleTy();
    }
    return nullptr;
}

llvm::Type* Lowering::vector_of(llvm::Type* element) {
    return width_ == 1 ? element : llvm::FixedVectorType::get(element, width_);
}

llvm::Value* Lowering::as_vector(llvm::Value* scalar) {
    return width_ == 1 || scalar->getType()->isVectorTy() ? scalar : b_.CreateVectorSplat(width_, scalar);
}

llvm::Constant* Lowering::lane_constants(std::span<const std::uint32_t> words) {
    if (width_ == 1) return b_.getInt32(words[0]);
    return llvm::ConstantDataVector::get(context_, llvm::ArrayRef(words.data(), words.size()));
}

llvm::Value* Lowering::both(llvm::Value* a, llvm::Value* b) {
    if (!a || !b) return a ? a : b;
    if (a->getType()->isVectorTy() == b->getType()->isVectorTy()) return b_.CreateAnd(a, b);
    return b_.CreateAnd(as_vector(a), as_vector(b));
}

llvm::Value* Lowering::bits_of(llvm::Value* mask) {
    return width_ == 1 ? mask : b_.CreateBitCast(mask, b_.getIntNTy(width_));
}

llvm::Value* Lowering::any(llvm::Value* mask) {
    if (!mask) return b_.getTrue();
    llvm::Value* bits = bits_of(mask);
    return b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
}

llvm::Value* Lowering::slot(llvm::Type* type, const char* name) {
    Builder at_start(entry_, entry_->begin());
    return at_start.CreateAlloca(type, nullptr, name);
}

llvm::BasicBlock* Lowering::block(const char* name) {
    return llvm::BasicBlock::Create(context_, name, function_);
}

llvm::Value* Lowering::offset_pointer(llvm::Value* base, llvm::Value* bytes) {
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(bytes); known && known->isZero()) return base;
    return b_.CreateGEP(b_.getInt8Ty(), base, bytes);
}

std::span<const TypeWord> Lowering::words_of(TypeId type) {
    const auto [known, is_new] = words_.try_emplace(type.index);
    if (is_new) known->second = cpu::words_of(types_, type);
    return known->second;
}

Result<LoweredKernel> lower(llvm::LLVMContext& context, const ValidProgram& program,
                            const LowerOptions& options) {
    TRY(check_operations("CPU", *program, supported_ops()));
    if (needs_expansion(*program, supported_ops()))
        return fail(
            ErrorCode::unsupported,
            fmt::format(
                "The CPU backend lowers {} once operations that no processor has, such as those of f16, "
                "are written with others.",
                program->entry()),
            "prepare or emit the program with a session (Session::prepare, Session::emit), whose driver does "
            "so");
    const Program lowered = TRY(large_values_to_memory(*program));
    return Lowering(context, lowered, TRY(Plan::make(lowered)), options, *program).run();
}

}  // namespace muster::cpu
