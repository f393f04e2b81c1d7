// kernels.hpp - kernels as LLVM IR text, in the shape that lower() gives them, for tests of the later stages.
#pragma once

#include <memory>
#include <string_view>

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace muster::test {

inline std::unique_ptr<llvm::Module> parse_ir(llvm::LLVMContext& context, std::string_view text) {
    llvm::SMDiagnostic fault;
    auto module = llvm::parseAssemblyString(llvm::StringRef(text.data(), text.size()), fault, context);
    if (!module) FAIL(fault.getMessage().str() << " in line " << fault.getLineNo());
    return module;
}

/// y[i] = a * x[i] + y[i] as muster::test::saxpy(64): 16 lanes, arrays guarded, loads and stores masked.
inline constexpr std::string_view saxpy_ir = R"(
%binding = type { ptr, i64 }
%arguments = type { ptr, [3 x i32], [3 x i32], [3 x i32] }

declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)

define void @muster_kernel(ptr noalias %arguments, i64 %begin, i64 %end, ptr noalias %scratch) {
entry:
  %workgroup = alloca i64, align 8
  %subgroup = alloca i32, align 4
  %bindings = load ptr, ptr %arguments, align 8
  %a.data = load ptr, ptr %bindings, align 8
  %x.at = getelementptr %binding, ptr %bindings, i64 1
  %x.data = load ptr, ptr %x.at, align 8
  %x.bytes.at = getelementptr %binding, ptr %bindings, i64 1, i32 1
  %x.bytes = load i64, ptr %x.bytes.at, align 8
  %x.length.64 = lshr i64 %x.bytes, 2
  %x.length = trunc i64 %x.length.64 to i32
  %y.at = getelementptr %binding, ptr %bindings, i64 2
  %y.data = load ptr, ptr %y.at, align 8
  %y.bytes.at = getelementptr %binding, ptr %bindings, i64 2, i32 1
  %y.bytes = load i64, ptr %y.bytes.at, align 8
  %y.length.64 = lshr i64 %y.bytes, 2
  %y.length = trunc i64 %y.length.64 to i32
  %origin.at = getelementptr %arguments, ptr %arguments, i64 0, i32 1, i64 0
  %origin = load i32, ptr %origin.at, align 4
  %extent.at = getelementptr %arguments, ptr %arguments, i64 0, i32 2, i64 0
  %extent = load i32, ptr %extent.at, align 4
  store i64 %begin, ptr %workgroup, align 8
  br label %workgroups

workgroups:
  %w = load i64, ptr %workgroup, align 8
  %more = icmp ult i64 %w, %end
  br i1 %more, label %body, label %done

body:
  %w32 = trunc i64 %w to i32
  %in.x = urem i32 %w32, %extent
  %id.x = add i32 %in.x, %origin
  %first = mul i32 %id.x, 64
  store i32 0, ptr %subgroup, align 4
  br label %subgroups

subgroups:
  %s = load i32, ptr %subgroup, align 4
  %s.more = icmp ult i32 %s, 4
  br i1 %s.more, label %lanes, label %next

lanes:
  %s.first = mul i32 %s, 16
  %base = add i32 %first, %s.first
  %base.v0 = insertelement <16 x i32> poison, i32 %base, i64 0
  %base.v = shufflevector <16 x i32> %base.v0, <16 x i32> poison, <16 x i32> zeroinitializer
  %i = add <16 x i32> %base.v, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %xl0 = insertelement <16 x i32> poison, i32 %x.length, i64 0
  %xl = shufflevector <16 x i32> %xl0, <16 x i32> poison, <16 x i32> zeroinitializer
  %x.in = icmp ult <16 x i32> %i, %xl
  %yl0 = insertelement <16 x i32> poison, i32 %y.length, i64 0
  %yl = shufflevector <16 x i32> %yl0, <16 x i32> poison, <16 x i32> zeroinitializer
  %y.in = icmp ult <16 x i32> %i, %yl
  %a = load float, ptr %a.data, align 4
  %base.64 = zext i32 %base to i64
  %x.place = getelementptr float, ptr %x.data, i64 %base.64
  %x = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %x.place, i32 4, <16 x i1> %x.in, <16 x float> zeroinitializer)
  %a0 = insertelement <16 x float> poison, float %a, i64 0
  %av = shufflevector <16 x float> %a0, <16 x float> poison, <16 x i32> zeroinitializer
  %product = fmul <16 x float> %av, %x
  %y.place = getelementptr float, ptr %y.data, i64 %base.64
  %y = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %y.place, i32 4, <16 x i1> %y.in, <16 x float> zeroinitializer)
  %sum = fadd <16 x float> %product, %y
  call void @llvm.masked.store.v16f32.p0(<16 x float> %sum, ptr %y.place, i32 4, <16 x i1> %y.in)
  %s.next = add i32 %s, 1
  store i32 %s.next, ptr %subgroup, align 4
  br label %subgroups

next:
  %w.next = add i64 %w, 1
  store i64 %w.next, ptr %workgroup, align 8
  br label %workgroups

done:
  ret void
}
)";

}  // namespace muster::test
