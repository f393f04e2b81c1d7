// print_types.hpp - prints a program's types and constants. Internal to print*.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/ir/program.hpp>
#include <muster/foundation/wgsl/print/print_names.hpp>

namespace muster::wgsl {

using ScalarText = std::function<std::string(Scalar scalar, std::uint64_t word)>;

class TypePrinter {
  public:
    /// Chooses a name for every structure of the program.
    TypePrinter(const Program& program, NameSet& names, const PredeclaredWords& words);

    /// `struct S { @size(16) a: f32, ... }` for each structure, with @align and @size where the layout isn't
    /// the natural one.
    std::string declarations() const;
    std::string name(TypeId type) const;
    std::string member(TypeId structure, std::uint32_t which) const;
    /// A constant expression, with components spelled by `scalar`. Empty words mean the zero value.
    std::string constant(TypeId type, std::span<const std::uint32_t> words, const ScalarText& scalar) const;

  private:
    void declare(TypeId type, std::string& out) const;

    const TypeTable& types_;
    const PredeclaredWords& word_;
    std::vector<std::string> names_;                 // by type: structures
    std::vector<std::vector<std::string>> members_;  // by type: structures
};

/// One component as a const-expression: 7i, 7u, 1.5f, 1.5h, -0.0f, true. NaN and infinities
/// have none that WGSL accepts.
std::string scalar_constant(Scalar scalar, std::uint64_t word, const PredeclaredWords& words);

}  // namespace muster::wgsl
