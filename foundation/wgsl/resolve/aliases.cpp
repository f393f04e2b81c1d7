#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/resolve/aliases.hpp>

namespace muster::wgsl {
namespace {

struct Accesses {
    bool reads = false, writes = false;
    bool any() const { return reads || writes; }
    Accesses& operator|=(Accesses other) {
        reads = reads || other.reads;
        writes = writes || other.writes;
        return *this;
    }
};
bool conflict(Accesses a, Accesses b) { return (a.writes && b.any()) || (b.writes && a.any()); }

/// The variable or pointer parameter at the root of a reference: WGSL's root identifier.
struct Root {
    const Local* local = nullptr;
    const Global* global = nullptr;
    bool operator==(const Root&) const = default;
    std::string_view name() const { return global != nullptr ? global->name : local->name; }
};

struct FunctionAccess {
    std::unordered_map<const Local*, Accesses> parameters;  // includes the accesses of called functions
    std::unordered_map<const Global*, Accesses> globals;    // accesses by name, in this function only
};

class AliasAnalysis {
  public:
    AliasAnalysis(const TypedModule& module, std::vector<Fault>& faults) : module_(module), faults_(faults) {}

    void run() {
        for (const TypedFunction& each : module_.functions) visit(each);
    }

  private:
    // Limits access_by_name(): each query walks the call graph, and a malicious text could cause very many.
    static constexpr std::uint64_t max_steps = std::uint64_t{1} << 22;

    // Visits callees first. Uses no recursion, since chains of calls may be as long as the text.
    void visit(const TypedFunction& root) {
        std::vector<std::pair<const TypedFunction*, std::size_t>> stack;
        if (known_.try_emplace(&root).second) stack.emplace_back(&root, 0);
        while (!stack.empty()) {
            auto& [function, next] = stack.back();
            if (next < function->callees.size()) {
                const TypedFunction* callee = function->callees[next++];
                if (known_.try_emplace(callee).second) stack.emplace_back(callee, 0);
                continue;
            }
            function_ = &known_.at(function);
            for (const Local* parameter : function->parameters)
                if (parameter->type->kind == Kind::pointer) roots_[parameter] = {parameter, nullptr};
            if (function->body != nullptr) walk(*function->body);
            stack.pop_back();
        }
    }

    void walk(const TypedBlock& block) {
        for (const TypedStatement& statement : block.statements) walk(statement);
    }

    void walk(const TypedStatement& s) {
        if (s.form == StatementForm::let && s.a->type->kind == Kind::pointer) roots_[s.local] = root(*s.a);
        const bool stores = s.form == StatementForm::store || s.form == StatementForm::update;
        if (stores) note(root(*s.a), {.writes = true});
        if (s.a != nullptr) walk(*s.a);
        if (s.form != StatementForm::loop && s.b != nullptr) walk(*s.b);
        if (s.body != nullptr) walk(*s.body);
        if (s.otherwise != nullptr) walk(*s.otherwise);
        for (const TypedCase& each : s.cases) walk(*each.body);
        if (s.continuing != nullptr) walk(*s.continuing);
        // `break if` can use names declared in the body, so it comes last.
        if (s.form == StatementForm::loop && s.b != nullptr) walk(*s.b);
    }

    void walk(const TypedExpression& e) {
        for (const TypedExpression* operand : e.operands) walk(*operand);
        if (e.form == ExpressionForm::load || e.form == ExpressionForm::grid_uniform_load ||
            e.form == ExpressionForm::workgroup_uniform_load)
            note(root(*e.operands[0]), {.reads = true});
        if (e.form == ExpressionForm::atomic)
            note(root(*e.operands[0]),
                 {.reads = e.op != Op::atomic_store, .writes = e.op != Op::atomic_load});
        if (e.form == ExpressionForm::user_call) call(e);
    }

    Root root(const TypedExpression& reference) const {
        const TypedExpression* e = &reference;
        while (e->form == ExpressionForm::index_reference || e->form == ExpressionForm::member_reference ||
               e->form == ExpressionForm::buffer_view)
            e = e->operands[0];
        if (e->form == ExpressionForm::global_reference) return {nullptr, e->global};
        if (e->form == ExpressionForm::local) return roots_.at(e->local);
        return {e->local, nullptr};
    }

    void note(Root root, Accesses access) {
        if (root.global != nullptr)
            function_->globals[root.global] |= access;
        else if (root.local != nullptr && root.local->type->kind == Kind::pointer)
            function_->parameters[root.local] |= access;
    }

    void call(const TypedExpression& e) {
        struct Given {
            Root root;
            const Local* parameter;
            Accesses access;
        };
        const auto& accesses = known_.at(e.callee).parameters;
        std::vector<Given> given;  // few: a function has at most 255 parameters
        for (std::size_t n = 0; n < e.operands.size(); ++n) {
            const Local* parameter = e.callee->parameters[n];
            if (parameter->type->kind != Kind::pointer) continue;
            const auto found = accesses.find(parameter);
            if (found == accesses.end()) continue;
            const Given now{root(*e.operands[n]), parameter, found->second};
            const SourceLocation where = e.operands[n]->where;
            for (const Given& before : given)
                if (before.root == now.root && conflict(before.access, now.access))
                    return refuse(
                        where, fmt::format("The parameters {} and {} of {} both point into {}, and {} "
                                           "writes through one of them.",
                                           before.parameter->name, parameter->name, e.name, now.root.name(),
                                           e.name));
            if (now.root.global != nullptr &&
                conflict(now.access, access_by_name(*e.callee, *now.root.global, where)))
                return refuse(where,
                              fmt::format("{} reaches {} through its parameter {} and by its name too, and "
                                          "writes to it.",
                                          e.name, now.root.name(), parameter->name));
            given.push_back(now);
        }
        for (const Given& each : given) note(each.root, each.access);
    }

    /// Accesses to the variable by its name, in the function and all functions that it calls.
    Accesses access_by_name(const TypedFunction& function, const Global& global, SourceLocation where) {
        const auto [answer, is_new] = answers_.try_emplace({&function, &global});
        if (!is_new) return answer->second;
        std::unordered_set<const TypedFunction*> seen{&function};
        std::vector<const TypedFunction*> rest{&function};
        Accesses all;
        while (!rest.empty() && steps_ < max_steps) {
            const TypedFunction* one = rest.back();
            rest.pop_back();
            const auto& globals = known_.at(one).globals;
            if (const auto found = globals.find(&global); found != globals.end()) all |= found->second;
            steps_ += 1 + one->callees.size();
            for (const TypedFunction* callee : one->callees)
                if (seen.insert(callee).second) rest.push_back(callee);
        }
        if (!rest.empty() && !gave_up_) {
            gave_up_ = true;
            faults_.push_back({{where, "The module's calls are too many to see which variables alias.",
                                "pass fewer pointers to module-scope variables."}});
        }
        return answer->second = all;
    }

    void refuse(SourceLocation where, std::string message) {
        if (faults_.size() < max_faults)
            faults_.push_back(
                {{where, std::move(message), "pass another variable, or a copy of its value."}});
    }

    const TypedModule& module_;
    std::vector<Fault>& faults_;
    std::unordered_map<const TypedFunction*, FunctionAccess> known_;
    std::unordered_map<const Local*, Root> roots_;  // of pointers
    std::map<std::pair<const TypedFunction*, const Global*>, Accesses> answers_;
    FunctionAccess* function_ = nullptr;
    std::uint64_t steps_ = 0;
    bool gave_up_ = false;
};

}  // namespace

void refuse_aliases(const TypedModule& module, std::vector<Fault>& faults) {
    AliasAnalysis(module, faults).run();
}

}  // namespace muster::wgsl
