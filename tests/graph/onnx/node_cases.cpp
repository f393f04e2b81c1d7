// graph_node_cases - imports, evaluates and runs ONNX's own node tests, which write_node_cases has written.
//
//     graph_node_cases FOLDER [NAME]
//
// FOLDER has a folder for each case (write_node_cases), which gets exported.onnx, the graph exported again; what is evaluated, and run
// on the CPU, is that, imported. Prints `passed NAME`, `refused NAME: REASON` (the import, the evaluation or the run is refused) or
// `failed NAME: REASON` (another result, or another graph when it is exported and imported again),
// one line each. Exit status: 0, whatever the cases give.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/evaluate/evaluate.hpp>
#include <muster/graph/onnx/export.hpp>
#include <muster/graph/onnx/import.hpp>
#include <muster/graph/run/model.hpp>

namespace {

using namespace muster;
using namespace muster::graph;
namespace fs = std::filesystem;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

struct Facts {
    double relative = 1e-3, absolute = 1e-7;
    std::set<std::size_t> constants;  // inputs
};

Facts facts_of(const fs::path& folder) {
    std::ifstream file(folder / "facts");
    Facts facts;
    file >> facts.relative >> facts.absolute;
    for (std::size_t number = 0; file >> number;) facts.constants.insert(number);
    return facts;
}

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The tensors of a data set; empty at the first that isn't there.
Result<NamedTensors> tensors_of(const fs::path& folder, std::string_view kind, std::size_t set) {
    NamedTensors tensors;
    for (std::size_t i = 0;; ++i) {
        const fs::path path = folder / fmt::format("{}.{}.{}.pb", set, kind, i);
        if (!fs::exists(path)) return tensors;
        tensors.push_back(TRY(import_onnx_tensor(path)));
    }
}

/// What differs; empty if nothing does.
std::string difference(const Tensor& got, const Tensor& wanted, const Facts& facts) {
    if (got.type() != wanted.type())
        return fmt::format("{} instead of {}", to_string(got.type()), to_string(wanted.type()));
    if (!is_float(got.element())) {
        const std::vector<std::int64_t> a = integers(got), b = integers(wanted);
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] != b[i]) return fmt::format("element {} is {} instead of {}", i, a[i], b[i]);
        }
        return {};
    }
    const std::vector<float> a = floats(got), b = floats(wanted);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        const double bound = facts.absolute + facts.relative * std::fabs(static_cast<double>(b[i]));
        if (std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= bound) continue;
        return fmt::format("element {} is {} instead of {}", i, a[i], b[i]);
    }
    return {};
}

std::string compared(const Graph& graph, const NamedTensors& wanted, const std::vector<Tensor>& got,
                     const Facts& facts) {
    if (wanted.size() != got.size()) return "the number of outputs differs";
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::string found = difference(got[i], wanted[i].second, facts);
        if (!found.empty()) return fmt::format("\"{}\": {}", graph.value(graph.outputs()[i]).name, found);
    }
    return {};
}

/// Empty if the set passes, else what differs. Errors: what is refused.
Result<std::string> run_set(const Graph& graph, Model& model, const fs::path& folder, std::size_t set,
                            const Facts& facts) {
    const NamedTensors inputs = TRY(tensors_of(folder, "in", set)),
                       wanted = TRY(tensors_of(folder, "out", set));
    std::vector<Tensor> given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!facts.constants.contains(i)) given.push_back(inputs[i].second);
    }
    const std::string differs = compared(graph, wanted, TRY(evaluate(graph, given)), facts);
    if (!differs.empty()) return differs;
    const std::string on_cpu =
        compared(graph, wanted, TRY(during("running it on the CPU", model.run(given))), facts);
    return on_cpu.empty() ? "" : "on the CPU, " + on_cpu;
}

Result<std::string> run_case(const Session& session, const fs::path& folder) {
    const Facts facts = facts_of(folder);
    ImportOptions options;
    if (!facts.constants.empty()) {
        const NamedTensors inputs = TRY(tensors_of(folder, "in", 0));
        for (const std::size_t i : facts.constants) options.constants.push_back(inputs.at(i));
    }
    const Graph first = TRY(import_onnx(folder / "model.onnx", options));
    TRY(export_onnx(first, folder / "exported.onnx"));
    const Graph graph = TRY(import_onnx(folder / "exported.onnx"));
    if (graph.node_count() != first.node_count() ||
        !same_structure(graph, TRY(import_onnx_bytes(TRY(export_onnx_bytes(graph))))))
        return std::string("exported and imported again, the graph is another one");
    Model model = TRY(Model::open(session, graph));
    for (std::size_t set = 0; fs::exists(folder / fmt::format("{}.out.0.pb", set)); ++set) {
        const std::string differs = TRY(run_set(graph, model, folder, set, facts));
        if (!differs.empty()) return differs;
    }
    return std::string();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "graph_node_cases: give the folder that write_node_cases has filled.\n";
        return 2;
    }
    Policy policy;
    policy.backends = {{"cpu"}};
    const Session session = *Session::open({.policy = policy, .use_environment = false});
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(argv[1]))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    for (const std::string& name : names) {
        if (argc > 2 && name != argv[2]) continue;
        const auto differs = run_case(session, fs::path(argv[1]) / name);
        if (!differs)
            fmt::print("refused {}: {}\n", name, first_line(differs.error().message));
        else if (!differs->empty())
            fmt::print("failed {}: {}\n", name, *differs);
        else
            fmt::print("passed {}\n", name);
    }
}
