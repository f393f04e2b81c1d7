// dialect.hpp - CUDA C++, as muster::c_text lowers to it. Internal to this room.
//
// Files: dialect.cpp (the language), functions.cpp (its functions), interface.cpp (parameters), shared.cpp
// (shared memory, grid barriers).
#pragma once

#include <span>
#include <string>
#include <vector>

#include <muster/backend-cuda/lowering/lower.hpp>
#include <muster/driver/c_text/dialect.hpp>

namespace muster::cuda {

/// CUDA's functions, and definitions of those that need its intrinsics.
std::span<const c_text::Function> cuda_functions();

class CudaDialect final : public c_text::Dialect {
  public:
    CudaDialect(const Program& program, const LowerTarget& target);
    /// The result of lower(), without text, entry and debug map. Call it once.
    CudaSource described() && { return std::move(result_); }

    c_text::Language language() const override { return c_text::Language::cpp; }
    std::string_view function_mark() const override { return "__device__"; }
    std::string_view called_function_mark() const override { return "static __device__ __noinline__"; }
    std::span<const c_text::Function> functions() const override { return cuda_functions(); }
    bool is_reserved(std::string_view name) const override;
    bool is_reserved_globally(std::string_view name) const override;
    std::string_view table_qualifier(std::uint64_t bytes) override;
    std::string_view endless() const override { return "asm volatile(\"\");"; }

    c_text::Expression id(Builtin which, char axis) override;
    std::string whole_id(Builtin which) override;
    /// Orders shared and global memory for the block alike.
    std::string barrier(Op) override { return "__syncthreads();"; }
    std::string atomic(c_text::Kernel& kernel, const c_text::AtomicCall& call) override;
    std::string subgroup(c_text::Kernel& kernel, const c_text::SubgroupCall& call) override;
    void grid_barrier(c_text::Kernel& kernel) override;

    bool declare_binding(c_text::Kernel& kernel, const c_text::Binding& binding) override;
    void declare_parameters(c_text::Kernel& kernel) override;
    void declare_workgroup(c_text::Kernel& kernel, VariableId variable) override;
    bool set_up_workgroup(c_text::Kernel& kernel) override;
    void leave(c_text::Kernel& kernel) override;
    std::string head(const c_text::Kernel& kernel) override;
    std::string signature(const c_text::Kernel& kernel, const std::string& entry) override;

  private:
    static constexpr std::uint32_t running_bytes = 4;

    // interface.cpp
    void declare_storage(const c_text::Binding& binding);
    bool declare_uniform(c_text::Kernel& kernel, const c_text::Binding& binding);
    void declare_grid(c_text::Kernel& kernel);
    std::uint32_t add_parameter(std::string text, std::uint64_t bytes, std::uint32_t align);
    void declare_warp(c_text::Kernel& kernel);
    // shared.cpp
    std::uint64_t offset_in_workgroup_memory(VariableId id) const;
    void declare_grid_barrier(c_text::Kernel& kernel);

    const Program& program_;
    const LowerTarget& target_;
    CudaSource result_;

    bool by_value_;                        // uniforms fit into the parameters as values
    std::vector<std::string> parameters_;  // declarations
    std::string origin_, grid_;
    std::string warp_;                        // mask of the warp's threads that exist; empty: all of them do
    std::string barrier_state_;               // empty: the program has no grid barriers
    std::string running_;                     // empty: no invocation returns before a grid barrier
    std::uint64_t constant_bytes_ = 0;        // used by tables in constant memory
    bool declares_workgroup_memory_ = false;  // dynamic shared memory
};

}  // namespace muster::cuda
