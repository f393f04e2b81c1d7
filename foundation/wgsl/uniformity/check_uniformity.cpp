#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include <muster/foundation/wgsl/parse/parser.hpp>
#include <muster/foundation/wgsl/uniformity/check_uniformity.hpp>
#include <muster/foundation/wgsl/uniformity/walk.hpp>

namespace muster::wgsl {
namespace {

using namespace uniformity;

/// Callees before their callers, without functions that need what muster doesn't support:
/// their bodies are incomplete.
std::vector<const TypedFunction*> callees_first(const TypedModule& module) {
    std::vector<const TypedFunction*> order;
    std::unordered_set<const TypedFunction*> seen, unsupported;
    for (const TypedFunction& root : module.functions) {
        if (!seen.insert(&root).second) continue;
        std::vector<std::pair<const TypedFunction*, std::size_t>> stack{{&root, 0}};
        while (!stack.empty()) {
            auto& [function, done] = stack.back();
            if (done < function->callees.size()) {
                const TypedFunction* callee = function->callees[done++];
                if (seen.insert(callee).second) stack.emplace_back(callee, 0);
                continue;
            }
            const bool needs_more = !function->unsupported.empty() || function->body == nullptr ||
                                    std::ranges::any_of(function->callees, [&](const TypedFunction* callee) {
                                        return unsupported.contains(callee);
                                    });
            if (needs_more)
                unsupported.insert(function);
            else
                order.push_back(function);
            stack.pop_back();
        }
    }
    return order;
}

std::string describe(const Source& source, const std::string& where) {
    switch (source.kind) {
        case Source::Kind::builtin:
            return fmt::format("{}, which differs between {}", source.name,
                               source.is_subgroup_uniform ? "subgroups" : "invocations");
        case Source::Kind::member:
            return fmt::format(
                "the structure of inputs at {}, which isn't uniform as a whole since its {} differs between "
                "{}",
                where, source.name, source.is_subgroup_uniform ? "subgroups" : "invocations");
        case Source::Kind::input:
            return fmt::format("the input {}, which differs between invocations", source.name);
        case Source::Kind::memory:
            if (source.where.line == 0) return std::string(source.name);
            return fmt::format("what \"{}\" holds at {}, which invocations may have written", source.name,
                               where);
        case Source::Kind::pointer:
            return fmt::format("what {} points to at {}, which invocations may have written", source.name,
                               where);
        case Source::Kind::result:
            return fmt::format("the result of {} at {}, which differs between {}", source.name, where,
                               source.is_subgroup_uniform ? "subgroups" : "invocations");
    }
    return {};
}

/// How messages name what stands in control flow.
std::string subject(const Requirement& what) {
    if (what.function == "workgroupBarrier") return "The workgroup barrier";
    if (what.function == "storageBarrier") return "The storage barrier";
    if (what.function == "textureBarrier") return "The texture barrier";
    return std::string(what.function);
}

class Check {
  public:
    explicit Check(const SourceFile& file) : file_(file) {}

    void function(const TypedFunction& function);
    std::vector<UniformityFault> faults();

  private:
    struct Searches;
    void summarise(const Searches& of, const TypedFunction& function, FunctionSummary& out);
    void needs(const Searches& of, FunctionSummary& out);
    std::optional<Source> source_of(const Searches& of, Node node, Scope scope) const;
    Dependence dependence(const Searches& of, Node node) const;
    void report(const Searches& of, Node node, const Requirement& what);
    std::string place(SourceLocation where) const { return to_string(where, file_); }

    const SourceFile& file_;
    Summaries summaries_;
    std::vector<UniformityFault> found_;
    std::set<SourceLocation> places_;
};

/// A function's graph, and what its sources reach against the edges.
struct Check::Searches {
    Searches(const Graph& made, Interface with)
        : graph(made),
          interface(std::move(with)),
          along(graph, Neighbours::Along::edges),
          against(graph, Neighbours::Along::against) {
        for (const Scope scope : scopes) {
            std::vector<Node> starts;
            for (const auto& [node, source] : graph.sources())
                if (source.counts_in(scope)) starts.push_back(node);
            non_uniform.push_back(Reached(against, starts));
        }
    }
    const Reached& non_uniform_in(Scope scope) const { return non_uniform[static_cast<std::size_t>(scope)]; }

    const Graph& graph;
    Interface interface;
    Neighbours along, against;
    std::vector<Reached> non_uniform;  // by scope
};

std::optional<Source> Check::source_of(const Searches& of, Node node, Scope scope) const {
    const Reached& reached = of.non_uniform_in(scope);
    if (node == no_node || !reached[node]) return {};
    const Node start = reached.way_from(node).back();
    for (const auto& [at, source] : of.graph.sources())
        if (at == start && source.counts_in(scope)) return source;
    return {};
}

Dependence Check::dependence(const Searches& of, Node node) const {
    Dependence on;
    if (node == no_node) return on;
    const Reached reached(of.along, std::span(&node, 1));
    for (std::uint32_t i = 0; i < of.interface.parameters.size(); ++i) {
        const Interface::Parameter& parameter = of.interface.parameters[i];
        if (reached[parameter.value]) on.values.push_back(i);
        if (parameter.contents != no_node && reached[parameter.contents]) on.contents.push_back(i);
    }
    return on;
}

void Check::report(const Searches& of, Node node, const Requirement& what) {
    if (found_.size() >= max_faults || !places_.insert(what.where).second) return;
    const Reached& reached = of.non_uniform_in(what.scope);
    const Source source = *source_of(of, node, what.scope);
    const SourceLocation branch =
        what.branch.line != 0 ? what.branch : of.graph.decided_at(reached.way_from(node));
    UniformityFault fault;
    fault.is_barrier = what.scope == Scope::workgroup;
    fault.what.where = what.where;
    const std::string depends = describe(source, place(source.where));
    if (what.argument != 0) {
        fault.what.message =
            fault.is_barrier
                ? fmt::format("The pointer that {} takes isn't uniform: it depends on {}.", what.function,
                              depends)
                : fmt::format("The second argument of {} isn't uniform over the subgroup: it depends on {}.",
                              what.function, depends);
        fault.what.fix = fault.is_barrier
                             ? "give all invocations the same place; to read one for each, load it without "
                               "workgroupUniformLoad"
                             : "use subgroupShuffle with the number of the invocation to read from";
    } else {
        fault.branch = branch;
        fault.what.message = fmt::format(
            "{} stands in {}: whether an invocation gets here is decided at {} and depends on {}.",
            subject(what),
            fault.is_barrier ? "non-uniform control flow"
                             : "control flow that isn't uniform over the subgroup",
            place(branch), depends);
        fault.what.fix = fault.is_barrier ? fmt::format(
                                                "move {} out of that branch or loop, or let the condition "
                                                "depend on uniforms, read-only "
                                                "storage and workgroup_id alone",
                                                subject(what).starts_with("The") ? "the barrier" : "it")
                                          : "move it out of that branch or loop; or, if it is meant for "
                                            "those invocations that get here, write "
                                            "diagnostic(off, subgroup_uniformity); at the top of the text";
        fault.what.others.push_back({branch, "it is decided here"});
    }
    if (what.via.line != 0) fault.what.others.push_back({what.via, "the call that leads there"});
    found_.push_back(std::move(fault));
}

// Collects the requirements of the function's calls: each that this function neither
// meets nor breaks by itself.
void Check::needs(const Searches& of, FunctionSummary& out) {
    for (const Scope scope : scopes) {
        std::vector<Node> starts;
        std::unordered_map<Node, const Requirement*> first;
        for (const auto& [node, what] : of.graph.requirements()) {
            if (what.scope != scope) continue;
            if (of.non_uniform_in(scope)[node]) {
                report(of, node, what);
            } else if (first.emplace(node, &what).second) {
                starts.push_back(node);
            }
        }
        if (starts.empty()) continue;
        const Reached reached(of.along, starts);
        const auto need_of = [&](Node node) -> std::optional<Requirement> {
            if (node == no_node || !reached[node]) return {};
            std::vector<Node> way = reached.way_from(node);
            Requirement what = *first.at(way.back());
            std::ranges::reverse(way);
            // At a call that isn't in uniform control flow, the caller decides; at one with such an
            // argument, this function.
            if (what.argument == 0 && what.branch.line == 0 && node != of.interface.start)
                what.branch = of.graph.decided_at(way);
            return what;
        };
        out.call[scope] = need_of(of.interface.start);
        for (std::size_t i = 0; i < out.parameters.size(); ++i) {
            out.parameters[i].value[scope] = need_of(of.interface.parameters[i].value);
            out.parameters[i].contents[scope] = need_of(of.interface.parameters[i].contents);
        }
    }
}

void Check::summarise(const Searches& of, const TypedFunction& function, FunctionSummary& out) {
    out.parameters.resize(function.parameters.size());
    needs(of, out);
    if (!function.stage.empty()) return;  // nothing calls it
    out.result_from = dependence(of, of.interface.result);
    for (const Scope scope : scopes) out.result[scope] = source_of(of, of.interface.result, scope);
    for (std::size_t i = 0; i < out.parameters.size(); ++i) {
        const Node written = of.interface.parameters[i].written;
        if (written == no_node) continue;
        out.parameters[i].written_from = dependence(of, written);
        for (const Scope scope : scopes) out.parameters[i].written[scope] = source_of(of, written, scope);
    }
}

void Check::function(const TypedFunction& function) {
    Graph graph;
    Interface interface = Walk(function, summaries_, graph).run();
    const Searches searches(graph, std::move(interface));
    summarise(searches, function, summaries_[&function]);
}

std::vector<UniformityFault> Check::faults() {
    std::ranges::sort(found_, {}, [](const UniformityFault& each) { return each.what.where; });
    return std::move(found_);
}

}  // namespace

std::vector<UniformityFault> check_uniformity(const TypedModule& module, const SourceFile& file) {
    if (!module.needs_uniformity) return {};
    Check check(file);
    for (const TypedFunction* each : callees_first(module)) check.function(*each);
    return check.faults();
}

}  // namespace muster::wgsl
