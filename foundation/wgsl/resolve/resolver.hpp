// resolver.hpp - resolves a syntax tree to a typed module. Internal to foundation/wgsl/resolve/ and wgsl.cpp.
//
// Module-scope declarations are resolved when first needed, in any order. A fault ends only its own statement
// or declaration; resolution continues with the next. Uses of a declaration that has a fault
// report no further faults.
//
// Features of WGSL that muster doesn't support (textures, vertex shaders) aren't faults by
// themselves: they are recorded for the function that needs them, and refused if an entry point reaches that
// function.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <muster/foundation/wgsl/parse/ast.hpp>
#include <muster/foundation/wgsl/parse/parse_options.hpp>
#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/print/print_names.hpp>
#include <muster/foundation/wgsl/resolve/typed.hpp>

namespace muster::wgsl {

/// Muster's extension that adds gridBarrier and gridUniformLoad.
inline constexpr std::string_view grid_barrier_enable = "muster_grid_barrier";

/// Muster's extension that adds atomic<f32>.
inline constexpr std::string_view float_atomics_enable = "muster_float_atomics";

/// Muster's extension that adds the integers of 8 and 16 bits.
inline constexpr std::string_view narrow_enable = "muster_int8_int16", int64_enable = "muster_int64",
                                  float64_enable = "muster_float64";

/// Muster's extension for printed programs whose names hide a predeclared word: if a binding is called max,
/// muster_predeclared_max is the function max.
inline constexpr std::string_view predeclared_enable = "muster_predeclared";

/// Muster's rule of diagnostics: off, as in diagnostic(off, muster.uniformity), it leaves the proof
/// that control flow is uniform to validate(). Printed programs need that whose workgroup memory is
/// read between two barriers.
inline constexpr std::string_view uniformity_rule = "muster.uniformity";

/// Ends the resolution of one statement or declaration. The resolver catches all of its own.
struct Refusal {
    Fault diagnostic;
    bool silent = false;          // follows from a fault already reported
    bool is_unsupported = false;  // a WGSL feature that muster doesn't support
};
/// Thrown by lowering: the program is well-formed but too large.
struct BudgetSpent {
    Fault diagnostic;
};
[[noreturn]] void refuse(SourceLocation where, std::string message, std::string fix = {});
[[noreturn]] void refuse(SourceLocation where, ConstFault fault);
/// With other places that explain the fault.
[[noreturn]] void refuse(SourceLocation where, ConstFault fault, std::vector<RelatedPlace> others);
/// About a name alone, not about what is called by it.
[[noreturn]] void refuse_name(SourceLocation where, std::string message, std::string fix);
[[noreturn]] void refuse_unsupported(SourceLocation where, std::string message, std::string fix);

/// The shape that mat2x3 and its like have, with or without a scalar's letter; no columns if
/// `name` isn't a matrix type.
struct MatrixShape {
    std::uint32_t columns = 0, rows = 0;
};
MatrixShape matrix_shape(std::string_view name);

/// True for every predeclared type of WGSL, supported by muster or not.
bool is_predeclared_type(std::string_view name);

/// The ways in which a statement can end (WGSL section "Statements Behavior Analysis"), as a set.
struct Behavior {
    bool next = false, breaks = false, continues = false, returns = false;
    friend Behavior operator|(Behavior a, Behavior b) {
        return {a.next || b.next, a.breaks || b.breaks, a.continues || b.continues, a.returns || b.returns};
    }
    bool is_return_only() const { return returns && !next && !breaks && !continues; }
};
inline constexpr Behavior goes_on{.next = true};

class Resolver {
  public:
    Resolver(const ast::Module& module, std::span<const OverrideValue> overrides, TypedModule& out,
             std::vector<Fault>& faults)
        : ast_(module), given_(overrides), out_(out), types_(out.types), faults_(faults) {
        for (const OverrideValue& each : given_) given_by_key_[each.name] = &each;
    }

    /// Enables an extension of the language, before run(). False: there is none of this name.
    bool enable(std::string_view name);
    void run();

  private:
    using Expr = TypedExpression;

    enum class State : std::uint8_t { untouched, in_work, done, failed };
    struct ModuleSymbol {
        ast::DeclarationKind kind;
        std::uint32_t index;
        State state = State::untouched;
        Expr* value = nullptr;     // const, override
        Global* global = nullptr;  // var
        TypeRef type = nullptr;    // structure, alias
        TypedFunction* function = nullptr;
        std::optional<Fault> unsupported;  // if it failed for that reason
    };
    struct LocalSymbol {
        std::uint32_t depth = 0;
        const Local* local = nullptr;  // let, var, parameter
        Expr* constant = nullptr;      // const
        bool failed = false;
        SourceLocation where{};
    };

    // Module scope (resolve_module.cpp, resolve_override.cpp).
    void directives();
    void collect();
    /// Runs a step; a refusal is recorded as a fault.
    void guarded(auto&& step) {
        if (faults_.size() >= max_faults) return;
        try {
            step();
        } catch (Refusal& refusal) {
            ++refusals_;
            if (refusal.is_unsupported) {
                if (function_ != nullptr) function_->unsupported.push_back(std::move(refusal.diagnostic));
            } else if (!refusal.silent) {
                faults_.push_back(std::move(refusal.diagnostic));
            }
        }
    }
    SourceLocation place_of(const ModuleSymbol& symbol) const;
    ModuleSymbol& resolved_symbol(std::string_view name, SourceLocation where);
    void resolve(ModuleSymbol& symbol);
    void resolve_declaration(ModuleSymbol& symbol);
    void resolve_variable(ModuleSymbol& symbol, const ast::Variable& variable);
    void resolve_global(ModuleSymbol& symbol, const ast::Variable& variable);
    void check_type_of(const Global& global) const;
    void place_immediates();
    void resolve_override(ModuleSymbol& symbol, const ast::Variable& variable);
    const OverrideValue* given_for(const TypedOverride& entry) const;
    Expr* override_value(const TypedOverride& entry, const OverrideValue* given, Expr* initial);
    void check_given_overrides();
    void refuse_recursion();
    /// For a value that determines a size: replaces an override without a value by 1, and records the fault
    /// that parse() reports.
    Expr* sizing(Expr* e);

    // Attributes (resolve_attribute.cpp).
    /// Applies the @diagnostic attributes of a function, statement or block while it is being resolved.
    class DiagnosticScope {
      public:
        DiagnosticScope(Resolver& resolver, ast::Range<ast::Attribute> attributes);
        ~DiagnosticScope() { resolver_.subgroups_may_diverge_ = before_; }
        DiagnosticScope(const DiagnosticScope&) = delete;
        DiagnosticScope& operator=(const DiagnosticScope&) = delete;

      private:
        Resolver& resolver_;
        bool before_;
    };
    /// One of the diagnostic filters of one range of the text.
    struct Filter {
        ast::Name severity;
        std::string rule;
    };
    /// Applies a diagnostic filter, and adds it to those of the same range, with which it mustn't conflict.
    /// WGSL requires unknown rules to be ignored.
    void filter_diagnostics(Filter filter, std::vector<Filter>& of_range);
    const ast::Attribute* find(ast::Range<ast::Attribute> attributes, std::string_view name) const;
    void allow(ast::Range<ast::Attribute> attributes, std::span<const std::string_view> names,
               std::string_view on);
    std::int64_t attribute_integer(const ast::Attribute& attribute, std::int64_t low, std::int64_t high);
    std::string_view attribute_name(const ast::Attribute& attribute);

    // Types (resolve_type.cpp).
    TypeRef type(ast::ExpressionId id);
    TypeRef named_type(const ast::Expression& expression);
    TypeRef array_type(const ast::Expression& expression);
    TypeRef pointer_type(const ast::Expression& expression);
    /// The type, for whatever needs it; refuses it unless its extension is enabled.
    TypeRef extended_type(TypeRef type, std::string_view what, SourceLocation where) const;
    TypeRef atomic_type(TypeRef of, SourceLocation where);
    TypeRef buffer_type(const ast::Expression& expression);
    TypeRef check_size(TypeRef type, SourceLocation where);
    void resolve_structure(ModuleSymbol& symbol, const ast::Structure& structure);
    AddressSpace address_space(const ast::Expression& expression);
    Access access_mode(const ast::Expression& expression);
    /// True if the name means a type here: a structure, an alias or a predeclared type.
    bool is_type_name(std::string_view name) const;
    /// The word that `muster_predeclared_WORD` stands for, if that extension is enabled;
    /// otherwise the name itself.
    std::string_view predeclared(std::string_view name) const;
    void refuse_unsupported_type(std::string_view name, SourceLocation where);
    /// `what` is of 16-bit floats: refuses it if they aren't enabled.
    void need_f16(std::string_view what, SourceLocation where) const;

    // Functions (resolve_function.cpp).
    void resolve_signature(ModuleSymbol& symbol, const ast::Function& function);
    void resolve_stage(TypedFunction& out, const ast::Function& function);
    void resolve_workgroup_size(TypedFunction& out, const ast::Function& function);
    void resolve_subgroup_size(TypedFunction& out, const ast::Function& function);
    void resolve_inputs(TypedFunction& out, const ast::Function& function);
    void check_graphics_interface(const TypedFunction& out, const ast::Function& function);
    void resolve_body(ModuleSymbol& symbol);
    EntryInput entry_input(const Local& local, const ast::Field& field);
    void check_builtin(std::string_view builtin, TypeRef type, SourceLocation where);
    void check_compute_builtin(std::string_view builtin, SourceLocation where);
    void check_interface_attributes(ast::Range<ast::Attribute> attributes, TypeRef type);

    // Statements (resolve_statement.cpp, resolve_loop.cpp).
    Behavior block(ast::StatementId id, TypedBlock& out, bool new_scope = true);
    Behavior sequence(std::span<const ast::StatementId> statements, TypedBlock& out);
    Behavior statement(ast::StatementId id, TypedBlock& out);
    void local_variable(const ast::Variable& variable, TypedBlock& out);
    void assign(const ast::Statement& statement, TypedBlock& out);
    void update(const ast::Statement& statement, TypedBlock& out);
    void call_statement(const ast::Statement& statement, TypedBlock& out);
    Behavior if_statement(const ast::Statement& statement, TypedBlock& out);
    Behavior loop_statement(const ast::Statement& statement, TypedBlock& out);
    Behavior for_statement(const ast::Statement& statement, TypedBlock& out);
    Behavior switch_statement(const ast::Statement& statement, TypedBlock& out);
    std::vector<std::uint32_t> case_selectors(const ast::Case& each, TypeRef type);
    void return_statement(const ast::Statement& statement, TypedBlock& out);
    Behavior loop_behavior(Behavior body, Behavior continuing, SourceLocation where,
                           std::uint32_t refusals_before);
    Expr* condition(ast::ExpressionId id, std::string_view of);
    TypedStatement& add(TypedBlock& out, StatementForm form, SourceLocation where);
    void note_returns(TypedStatement& statement, std::uint32_t before);
    void const_assert(ast::ExpressionId condition, SourceLocation where);

    // Scopes of a function.
    void open_scope() { scope_marks_.push_back(declared_.size()); }
    void close_scope();
    void declare(std::string_view name, SourceLocation where, LocalSymbol symbol);
    /// "x is declared here", if the name is declared in the text.
    std::vector<RelatedPlace> declared(std::string_view name, std::string_view what = "declared") const;
    /// The same of the variable that an expression leads to.
    std::vector<RelatedPlace> declared_root(ast::ExpressionId of) const;
    /// The names that are declared in the text and meant by a call, a type or a value.
    enum class Wanted : std::uint8_t { function, type, value };
    std::vector<std::string> names(Wanted wanted) const;
    [[noreturn]] void refuse_unknown(Wanted wanted, std::string_view name, SourceLocation where) const;
    const LocalSymbol* find_local(std::string_view name) const;
    Local& new_local(std::string_view name, SourceLocation where, TypeRef type, bool is_variable);

    // Expressions (resolve_expression.cpp, resolve_operator.cpp, resolve_part.cpp).
    Expr* expression(ast::ExpressionId id);
    /// Resolves an expression to a value; loads from references.
    Expr* value(ast::ExpressionId id) { return load(expression(id)); }
    Expr* load(Expr* reference);
    Expr* literal(const ast::Expression& e);
    Expr* identifier(const ast::Expression& e);
    Expr* unary(const ast::Expression& e);
    Expr* binary(const ast::Expression& e);
    Expr* combine(ast::BinaryOp op, Expr* a, Expr* b, SourceLocation where);
    Expr* shift(ast::BinaryOp op, Expr* a, Expr* b, SourceLocation where);
    Expr* logical(const ast::Expression& e);
    Expr* index(const ast::Expression& e);
    Expr* member(const ast::Expression& e);
    Expr* structure_member(Expr* base, const ast::Expression& e);
    Expr* swizzle(Expr* base, const ast::Expression& e);
    Expr* element_reference(Expr* base, Expr* index, SourceLocation where);
    Expr* known_index(Expr* index, TypeRef of, SourceLocation where);

    Expr* make(ExpressionForm form, TypeRef type, SourceLocation where, std::vector<Expr*> operands = {});
    Expr* known(ConstValue value, Stage stage, SourceLocation where);
    /// Counts the scalars of large constants against the text's limit.
    void spend_words(std::uint64_t words, SourceLocation where);
    Expr* known(ConstResult value, TypeRef type, Stage stage, SourceLocation where);
    /// Applies an automatic conversion, or refuses; `use` names the context in the message.
    Expr* convert(Expr* e, TypeRef to, std::string_view use) {
        return convert(e, to, use, [] { return std::vector<RelatedPlace>(); });
    }
    /// `others`: gives the other places of the fault.
    Expr* convert(Expr* e, TypeRef to, std::string_view use, auto&& others) {
        return converts(e->type, to) ? converted(e, to) : refuse_conversion(*e, to, use, others());
    }
    Expr* converted(Expr* e, TypeRef to);
    [[noreturn]] Expr* refuse_conversion(const Expr& e, TypeRef to, std::string_view use,
                                         std::vector<RelatedPlace> others);
    /// Converts abstract numbers to their concrete type.
    Expr* concrete(Expr* e);
    Expr* splat(Expr* e, std::uint32_t width);
    static Stage stage_of(std::span<Expr* const> operands);
    static bool all_known(std::span<Expr* const> operands);
    static TypeRef store_type(const Expr* e) { return e->is_reference ? e->type : e->type->element; }

    // Calls (resolve_call.cpp).
    Expr* call(const ast::Expression& e);
    std::vector<Expr*> arguments(const ast::Expression& e);
    Expr* construct(TypeRef type, const ast::Expression& e);
    Expr* construct_inferred(const ast::Expression& callee, const ast::Expression& e);
    Expr* construct_scalar(TypeRef type, Expr* argument, SourceLocation where);
    Expr* construct_matrix(TypeRef type, std::vector<Expr*> parts, SourceLocation where);
    Expr* construct_vector(TypeRef scalar, std::uint32_t width, std::vector<Expr*> parts,
                           SourceLocation where);
    Expr* construct_composite(TypeRef type, std::vector<Expr*> parts, SourceLocation where);
    Expr* compose(TypeRef type, std::vector<Expr*> parts, SourceLocation where);
    Expr* function_call(std::string_view name, const ast::Expression& e);
    Expr* function_call(FunctionCall chosen, std::string_view name, std::vector<Expr*> values,
                        SourceLocation where);
    Expr* bitcast(const ast::Expression& callee, const ast::Expression& e);
    Expr* array_length(const ast::Expression& e);
    Expr* workgroup_uniform_load(const ast::Expression& e);
    Expr* barrier(Op op, std::string_view name, const ast::Expression& e);
    void need_grid_barrier(std::string_view name, SourceLocation where) const;
    void need_subgroups(std::string_view name, SourceLocation where) const;
    Expr* grid_barrier(const ast::Expression& e);
    Expr* grid_uniform_load(const ast::Expression& e);
    Expr* atomic(std::string_view name, const ast::Expression& e);
    Expr* user_call(TypedFunction& callee, const ast::Expression& e);
    void expect_arguments(const ast::Expression& e, std::string_view name, std::size_t count);

    // Buffers (resolve_buffer.cpp).
    void check_buffer(const Global& global) const;
    Expr* buffer_pointer(std::string_view function, ast::ExpressionId id);
    Expr* buffer_length(const ast::Expression& e);
    Expr* buffer_view(std::string_view function, const ast::Expression& callee, const ast::Expression& e);
    /// Resolves an offset or a size in bytes.
    Expr* byte_count(std::string_view function, std::string_view what, ast::ExpressionId id);
    void check_view(TypeRef seen, TypeRef buffer, const Expr& offset, const Expr* size) const;

    const ast::Module& ast_;
    std::span<const OverrideValue> given_;
    std::unordered_map<std::string_view, const OverrideValue*>
        given_by_key_;                                                  // the last one of each name or @id
    std::unordered_map<std::uint16_t, std::string_view> override_ids_;  // to the override's name
    TypedModule& out_;
    Types& types_;
    std::vector<Fault>& faults_;

    std::unordered_map<std::string_view, ModuleSymbol> module_;
    std::vector<ModuleSymbol*> order_;
    std::unordered_map<TypeRef, std::vector<std::string_view>> member_builtins_;
    std::uint32_t depth_ = 0;  // declarations being resolved
    std::uint64_t constant_words_ = 0;
    std::uint32_t refusals_ = 0;     // includes silent ones, so that consequences of them aren't reported
    std::uint32_t unevaluated_ = 0;  // depth of expressions that aren't evaluated, as in `false && ...`
    bool in_module_scope_ = true;
    bool grid_barrier_enabled_ = false;
    bool subgroups_enabled_ = false, subgroup_size_enabled_ = false;
    bool subgroups_may_diverge_ = false;  // here, by the nearest filter of subgroup_uniformity
    bool leaves_uniformity_ = false;      // to validate()
    bool predeclared_enabled_ = false;
    bool f16_enabled_ = false;
    bool float_atomics_enabled_ = false;
    bool narrow_enabled_ = false, int64_enabled_ = false, float64_enabled_ = false;

    TypedFunction* function_ = nullptr;  // the function whose body is being resolved
    std::unordered_map<std::string_view, std::vector<LocalSymbol>> locals_;
    std::vector<std::string_view> declared_;
    std::vector<std::size_t> scope_marks_;
    std::uint32_t loops_ = 0, switches_ = 0;     // around the current statement
    std::uint32_t first_continue_ = UINT32_MAX;  // number of locals at the loop's first continue
    /// The continuing block of an enclosing loop: a continue may have skipped the declarations of locals
    /// `first` to `end`.
    struct Continuing {
        std::uint32_t first, end;
    };
    std::vector<Continuing> continuing_;
};

}  // namespace muster::wgsl
