// dialect.hpp - a language of C's family, as lower() needs to know it: its functions, its qualifiers, and how
// a kernel is declared in it.
//
//     class OpenClDialect final : public c_text::Dialect { ... };
//     OpenClDialect dialect;                                                  // one for each kernel
//     c_text::Text text = c_text::lower(program, dialect, {.options = options});
//
// Whatever the language, its scalar types are `bool`, `int`, `unsigned` and `float`, the last three of 4
// bytes, and `unsigned short` of 2, which holds an f16's bits; true, false, structures, goto and switch are
// C's. docs/ir.md has a whole dialect. Threads: one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <muster/driver/c_text/expression.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster::c_text {

enum class Language : std::uint8_t {
    /// C99. Vectors are structures of scalars, as small as CUDA's, with names of WGSL: vec3f
    /// has 12 bytes, aligned to 4.
    c,
    /// C++17 with CUDA's vectors: float3, uint2, make_float3(). They get operators, arrays become a template.
    cpp,
    /// C, with one function of mathematics for all types: exp() where C99 has expf().
    opencl_c
};

/// A function that texts call, in this language. Names of C's functions are the defaults; a name without one
/// has a portable definition, and the language may know better.
/// - `floor_f32`, `ceil_f32`, `trunc_f32`, `round_f32`, `abs_f32`, `sqrt_f32`, `fma_f32`,
///   `fmin_f32`, `fmax_f32`: C's floorf and so on; round_f32 is rintf. The last two return the
///   number if one operand is NaN.
/// - `exp_f32`, `atan2_f32` and the other operations of the math group, for fast mode: C's expf.
///   `inverse_sqrt_f32` is defined. In exact mode, their definitions are muster's.
/// - `f32_as_i32`, `f32_as_u32`, `i32_as_f32`, `u32_as_f32`: the same bits as another type. Defined.
/// - `min_i32`, `max_i32`, `ones_i32`, `leading_zeros_i32`, `trailing_zeros_i32`, `reverse_bits_i32`, and
///   the same with `_u32`; `to_i32` and `to_u32` of a float; `min_f32` and `max_f32`, in exact mode.
///   Defined, as docs/ir.md says.
/// - The same with `_i64`, `_u64` and `_f64`; conversions from double are `f64_to_i32` and so on. `i64_t` and
///   `u64_t`: the types, C's `long long` unless the language defines them otherwise.
/// - `to_f16` of a float, rounded to nearest even, and `from_f16`: to and from a
///   `half_bits`, an f16's bits. Defined.
/// - `dot4_u8_packed`, `dot4_i8_packed`: only if the backend's operations list them.
/// - Names of the dialect's own, for Kernel::call().
struct Function {
    std::string_view name;
    std::string_view call;             // the language's function, if it has one
    std::string_view definition = {};  // otherwise: the text that defines `name`
};

/// A storage or uniform variable, as the kernel has to declare it.
struct Binding {
    VariableId variable;
    std::string name;  // to be declared: a pointer to the variable, or to its run-time array's first element
    std::string type;  // the pointer's target
    std::string length;        // to be declared, if not empty: an `unsigned`, the run-time array's elements
    bool is_const = false;     // never written by the program
    bool is_restrict = false;  // C's `restrict` holds: nobody else writes it while an invocation runs
};

struct AtomicCall {
    Op op;
    Scalar scalar;        // i32, u32, or f32 if the device's OpSet::f32_atomics has the operation
    AddressSpace space;   // storage or workgroup; uniform: gridUniformLoad of a uniform
    std::string address;  // "&x[i]"
    std::span<const std::string> operands;
};

/// subgroup_ballot of a bool, or subgroup_shuffle of a scalar.
struct SubgroupCall {
    Op op;
    Scalar scalar;      // of the value
    bool may_diverge;   // only some of the invocations may get here
    std::string value;  // a name or a literal
    std::string lane;   // of a shuffle: the number of the invocation to read from, as any `unsigned`
};

/// The kernel that is being lowered, as a dialect's functions see it.
class Kernel {
  public:
    virtual const Program& program() const = 0;
    /// Returns a legal name that nothing else in the text has: `name`, if possible.
    virtual std::string unique_name(std::string_view name) = 0;
    virtual const std::string& name(VariableId variable) const = 0;
    /// The type's name; adds its definition to the text.
    virtual const std::string& type_name(TypeId type) = 0;
    /// Alignment of the text's type, in bytes. It is WGSL's, but that of the scalar for vec3, and
    /// at most wrapped_alignment.
    virtual std::uint32_t align(TypeId type) const = 0;
    /// The name by which a Function is called; adds its definition to the text.
    virtual std::string_view call(std::string_view function) = 0;
    /// Writes a line of the kernel.
    virtual void line(std::string text) = 0;
    virtual bool uses(Builtin builtin) const = 0;
    /// Text of local_invocation_index.
    virtual std::string invocation_index() const = 0;

  protected:
    ~Kernel() = default;
};

class Dialect {
  public:
    virtual ~Dialect() = default;

    // The language.
    virtual Language language() const { return Language::c; }
    /// Before `inline` of each function of the text: "static", "__device__". C++:
    /// before member functions, too.
    virtual std::string_view function_mark() const { return "static"; }
    /// Before a large function that is called from many places.
    virtual std::string_view called_function_mark() const { return "static"; }
    virtual std::span<const Function> functions() const { return {}; }
    /// True if no variable can have this name, which is legal in C++ and in C's library.
    virtual bool is_reserved([[maybe_unused]] std::string_view name) const { return false; }
    /// True if no structure and no kernel can have this name, which is legal for a variable.
    virtual bool is_reserved_globally([[maybe_unused]] std::string_view name) const { return false; }
    /// Qualifier of a pointer's target: "__global". Asked for storage, workgroup, and
    /// uniforms that are pointers.
    virtual std::string_view qualifier([[maybe_unused]] AddressSpace space) const { return ""; }
    /// Before the type of a constant table outside of the kernel.
    virtual std::string_view table_qualifier([[maybe_unused]] std::uint64_t bytes) { return "static const"; }
    /// Statement in each turn of the loops that aren't known to end. A compiler that may assume that
    /// loops end has to execute it (C++ may, C99 and OpenCL C may not); a kernel that can be stopped
    /// tests here if it should.
    virtual std::string_view endless() const { return ""; }

    // Operations.
    /// A component of local_invocation_id, workgroup_id (Launch::origin included) or
    /// num_workgroups; axis: 'x', 'y', 'z'.
    virtual Expression id(Builtin which, char axis) = 0;
    /// The same as a value of `vec3<u32>`; empty: composed of its components.
    virtual std::string whole_id([[maybe_unused]] Builtin which) { return ""; }
    /// Statement for workgroup_barrier or storage_barrier.
    virtual std::string barrier(Op op) = 0;
    /// Statement or expression without `;` for an atomic operation.
    virtual std::string atomic(Kernel& kernel, const AtomicCall& call) = 0;
    /// Expression for an operation of subgroups, for languages whose operations include the two; a ballot is
    /// of type `vec4<u32>`. subgroup_invocation_id and subgroup_id follow from local_invocation_index.
    virtual std::string subgroup([[maybe_unused]] Kernel& kernel, [[maybe_unused]] const SubgroupCall& call) {
        return "";
    }
    /// Writes grid_barrier, for languages whose operations include it.
    virtual void grid_barrier(Kernel&) {}

    // The kernel. Called in this order.
    /// Declares `name`, and `length` if there is one, as parameters or lines. Returns false if `name` is a
    /// uniform's value and no pointer.
    virtual bool declare_binding(Kernel& kernel, const Binding& binding) = 0;
    /// Declares what else the kernel needs.
    virtual void declare_parameters(Kernel&) {}
    /// Declares a variable in workgroup memory. lower() zeroes it.
    virtual void declare_workgroup(Kernel& kernel, VariableId variable) {
        std::string declared(qualifier(AddressSpace::workgroup));
        if (!declared.empty()) declared += ' ';
        declared += kernel.type_name(kernel.program().variable(variable).type);
        kernel.line(declared + ' ' + kernel.name(variable) + ';');
    }
    /// Sets up what else a workgroup shares. Returns true if its invocations have to meet afterwards.
    virtual bool set_up_workgroup(Kernel&) { return false; }
    /// Writes what an invocation does before it returns, wherever that is.
    virtual void leave(Kernel&) {}
    /// Text before everything else: comments, pragmas, includes, declarations. Also asked once
    /// before all other functions: what it then declares outside of functions, and its macros, are
    /// names that nothing else gets.
    virtual std::string head(const Kernel& kernel) = 0;
    /// The kernel's declaration, with "{\n" at its end.
    virtual std::string signature(const Kernel& kernel, const std::string& entry) = 0;
};

}  // namespace muster::c_text
