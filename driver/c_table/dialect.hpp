// dialect.hpp - the languages of the forms `gnu99` and `c++`, as muster::c_text lowers to them: a function that runs one
// invocation (muster_backend_kernel, muster_backend.h).
//
//     HostDialect dialect(c_text::Language::c);                     // one for each kernel
//     c_text::Text text = c_text::lower(program, dialect, {.options = options});
//
// Threads: one.
#pragma once

#include <string>
#include <string_view>

#include <muster/driver/c_text/dialect.hpp>

namespace muster::c_table {

class HostDialect final : public c_text::Dialect {
  public:
    explicit HostDialect(c_text::Language language) : language_(language) {}
    /// True once a barrier has been written.
    bool meets() const { return meets_; }

    c_text::Language language() const override { return language_; }
    bool is_reserved(std::string_view name) const override;
    /// Nothing in C++, which has the mark before member functions, too: its functions are hidden instead.
    std::string_view function_mark() const override {
        return language_ == c_text::Language::cpp ? "" : "static";
    }
    /// C++ may assume that a loop without effects ends.
    std::string_view endless() const override { return "__asm__ volatile(\"\");"; }
    c_text::Expression id(Builtin which, char axis) override;
    std::string barrier(Op op) override;
    std::string atomic(c_text::Kernel& kernel, const c_text::AtomicCall& call) override;
    bool declare_binding(c_text::Kernel& kernel, const c_text::Binding& binding) override;
    void declare_workgroup(c_text::Kernel& kernel, VariableId variable) override;
    std::string head(const c_text::Kernel& kernel) override;
    std::string signature(const c_text::Kernel& kernel, const std::string& entry) override;

  private:
    c_text::Language language_;
    int bindings_ = 0;
    bool meets_ = false;
};

}  // namespace muster::c_table
