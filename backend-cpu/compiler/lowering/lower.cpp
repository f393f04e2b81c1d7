// The kernel's function: its arguments, and the loop over workgroups.
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <muster/backend-cpu/compile/operations.hpp>
#include <muster/backend-cpu/compiler/lowering/choose_width.hpp>
#include <muster/backend-cpu/compiler/lowering/large_values.hpp>
#include <muster/backend-cpu/compiler/lowering/workgroup_body.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/analysis/loops.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/expand/expand.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint64_t max_cost = UINT32_MAX;
constexpr std::uint64_t operations_of_mathematics = 50;  // estimate per function

class KernelLowering {
  public:
    /// `given`: the program that `program` was made from, for debug information.
    KernelLowering(llvm::LLVMContext& context, const Program& program, Plan plan, const LowerOptions& options,
                   const Program& given);
    LoweredKernel run() &&;

  private:
    llvm::Function* declare();
    void read_arguments();
    void over_workgroups();
    std::uint32_t cost() const;

    KernelFacts facts_;
    std::unique_ptr<llvm::Module> module_;
    llvm::Function* function_;
    LaneBuilder b_;
    KernelPart kernel_;
    std::optional<DebugInfo> debug_;
    GridPosition position_;
    WorkgroupScratch scratch_;
    SharedVariables shared_;
    Assumptions assumptions_;
    NodeValues values_;
    OwnVariables own_;
    KeptValues kept_;
    JumpTargets targets_;
    Prefetches prefetches_;
    SharedAccess access_;
    LaneScalars scalars_;
    Atomics atomics_;
    ControlFlow control_;
    WorkgroupBody body_;
};

KernelLowering::KernelLowering(llvm::LLVMContext& context, const Program& program, Plan plan,
                               const LowerOptions& options, const Program& given)
    : facts_(program, std::move(plan), options, choose_width(options, program)),
      module_(std::make_unique<llvm::Module>("muster", context)),
      function_(declare()),
      b_(*function_, facts_.lanes.offsets),
      kernel_(facts_, b_),
      scratch_(b_, function_->getArg(3), position_, facts_.lanes.geometry.subgroups),
      shared_(kernel_, scratch_),
      assumptions_(kernel_, position_, shared_),
      values_(kernel_, position_, shared_),
      own_(kernel_, scratch_, assumptions_, values_),
      kept_(kernel_, scratch_, values_),
      targets_(program),
      prefetches_(kernel_, position_, shared_, values_, targets_),
      access_(kernel_, shared_, assumptions_, values_, prefetches_),
      scalars_(kernel_, shared_, assumptions_, values_),
      atomics_(kernel_, shared_, assumptions_, access_, scalars_, values_),
      control_(kernel_, {scratch_, assumptions_, values_, own_, kept_, targets_, access_, atomics_}),
      body_(kernel_, {position_, scratch_, shared_, assumptions_, values_, own_, kept_, targets_, prefetches_,
                      control_}) {
    if (!options.debug) return;
    debug_.emplace(*module_, given, options).enter(*function_);
    control_.record_nodes(*debug_, given_nodes(program, given));
}

LoweredKernel KernelLowering::run() && {
    read_arguments();
    own_.lay_out();
    if (debug_) own_.show_in(*debug_);
    kept_.lay_out();
    scratch_.lay_out_records();
    body_.lay_out();
    over_workgroups();
    debug_.reset();
    return {.module = std::move(module_),
            .scratch_bytes = scratch_.bytes(),
            .cost = cost(),
            .width = facts_.lanes.offsets.width()};
}

llvm::Function* KernelLowering::declare() {
    llvm::LLVMContext& context = module_->getContext();
    llvm::Type *pointer = llvm::PointerType::getUnqual(context), *number = llvm::Type::getInt64Ty(context);
    auto* type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, number, number, pointer}, false);
    auto* made = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kernel_symbol, *module_);
    made->addFnAttr(llvm::Attribute::NoUnwind);
    made->addFnAttr("no-builtins");
    prepare_function(*made, facts_.options);
    made->addParamAttr(0, llvm::Attribute::NoAlias);
    made->addParamAttr(0, llvm::Attribute::ReadOnly);
    made->addParamAttr(3, llvm::Attribute::NoAlias);
    made->addParamAttr(3, llvm::Attribute::getWithAlignment(context, llvm::Align(scratch_align)));
    return made;
}

void KernelLowering::read_arguments() {
    Value* arguments = function_->getArg(0);
    Value* bindings = b_.CreateLoad(b_.getPtrTy(), arguments, "bindings");
    for (unsigned k = 0; k < 3; ++k)
        position_.grid[k] = b_.CreateLoad(
            b_.getInt32Ty(), b_.offset_pointer(arguments, offsetof(KernelArguments, grid) + 4 * k), "grid");
    shared_.read_bindings(bindings);
}

// Loops over the workgroups [begin, end) within extent, x fastest: one division at the start, then counting.
void KernelLowering::over_workgroups() {
    Value *arguments = function_->getArg(0), *begin = function_->getArg(1), *end = function_->getArg(2);
    const auto field = [&](std::size_t offset, unsigned k, const char* name) {
        return b_.CreateLoad(b_.getInt32Ty(), b_.offset_pointer(arguments, offset + 4 * k), name);
    };
    std::array<Value*, 3> origin{}, extent{};
    for (unsigned k = 0; k < 3; ++k) {
        origin[k] = field(offsetof(KernelArguments, origin), k, "origin");
        extent[k] = field(offsetof(KernelArguments, extent), k, "extent");
    }
    BasicBlock *first = b_.block("first"), *each = b_.block("workgroup"), *done = b_.block("done");
    b_.CreateCondBr(b_.CreateICmpULT(begin, end), first, done);
    b_.SetInsertPoint(first);
    Value *wide_x = b_.CreateZExt(extent[0], b_.getInt64Ty()),
          *wide_y = b_.CreateZExt(extent[1], b_.getInt64Ty());
    Value* row = b_.CreateUDiv(begin, wide_x);
    std::array<Value*, 3> start{b_.CreateURem(begin, wide_x), b_.CreateURem(row, wide_y),
                                b_.CreateUDiv(row, wide_y)};
    for (Value*& coordinate : start) coordinate = b_.CreateTrunc(coordinate, b_.getInt32Ty());
    b_.CreateBr(each);
    b_.SetInsertPoint(each);
    PHINode* number = b_.CreatePHI(b_.getInt64Ty(), 2, "number");
    number->addIncoming(begin, first);
    std::array<PHINode*, 3> place{};
    for (unsigned k = 0; k < 3; ++k) {
        place[k] = b_.CreatePHI(b_.getInt32Ty(), 2, "place");
        place[k]->addIncoming(start[k], first);
    }
    for (unsigned k = 0; k < 3; ++k) position_.workgroup[k] = b_.CreateAdd(origin[k], place[k]);
    position_.packed = b_.word(1);
    if (facts_.lanes.geometry.packed_workgroups > 1) {  // up to the end of the row or of the range
        const auto least = [&](Value* a, Value* b) {
            return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
        };
        Value* asked = least(b_.CreateSub(end, number), b_.getInt64(facts_.lanes.geometry.packed_workgroups));
        position_.packed = least(b_.CreateTrunc(asked, b_.getInt32Ty()), b_.CreateSub(extent[0], place[0]));
    }
    BasicBlock* workgroup_end = b_.block("next_workgroup");
    assumptions_.around_workgroup([&] { body_.run(workgroup_end); });
    b_.SetInsertPoint(workgroup_end);
    Value* carry = nullptr;
    for (unsigned k = 0; k < 3; ++k) {
        Value* up = b_.CreateAdd(place[k], carry ? b_.CreateZExt(carry, b_.getInt32Ty()) : position_.packed);
        Value* wraps = b_.CreateICmpEQ(up, extent[k]);
        place[k]->addIncoming(k < 2 ? b_.CreateSelect(wraps, b_.word(0), up) : up, workgroup_end);
        carry = b_.both(carry, wraps);
    }
    Value* next = b_.CreateAdd(number, b_.CreateZExt(position_.packed, b_.getInt64Ty()));
    number->addIncoming(next, workgroup_end);
    b_.CreateCondBr(b_.CreateICmpEQ(next, end), done, each);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
}

std::uint32_t KernelLowering::cost() const {
    constexpr std::size_t most_loops = 16;  // more aren't worth the time to count them
    const Program& program = facts_.program;
    std::vector<NodeId> all_loops;
    for (NodeId id{0}; id.index < program.node_count(); ++id.index)
        if (program.node(id).op == Op::loop) all_loops.push_back(id);
    if (all_loops.size() > most_loops) return 0;
    const Loops loops(program);
    std::vector<std::pair<NodeId, std::uint64_t>> trips;
    for (const NodeId loop : all_loops) {
        const auto most = loops.max_trip_count(loop);
        if (!most) return 0;
        trips.emplace_back(loop, *most);
    }
    std::uint64_t operations = 4;
    for (NodeId id{0}; id.index < program.node_count(); ++id.index) {
        const bool is_math = info(program.node(id).op).group == OpGroup::math;
        std::uint64_t each = is_math ? operations_of_mathematics + 1 : 1;
        for (const auto& [loop, most] : trips)
            if (loops.is_inside(loop, id) && __builtin_mul_overflow(each, most, &each)) return 0;
        if (each > max_cost) return 0;
        operations += each;
    }
    if (operations > max_cost) return 0;
    return static_cast<std::uint32_t>(std::min(max_cost, operations * facts_.lanes.geometry.subgroups));
}

}  // namespace

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
    return KernelLowering(context, lowered, TRY(Plan::make(lowered)), options, *program).run();
}

}  // namespace muster::cpu
