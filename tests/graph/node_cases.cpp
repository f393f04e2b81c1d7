// graph_node_cases - evaluates ONNX's own node tests, which write_node_cases has written as text.
//
//     graph_node_cases FOLDER [NAME]
//
// FOLDER has, for each case, NAME.graph (the graph), NAME.N.in and NAME.N.out (tensors) and NAME.tolerance (relative, absolute). Prints
// `passed NAME`, `refused NAME: REASON` (the graph or its evaluation is refused) or `failed NAME: REASON` (another result),
// one line each. Exit status: 0, whatever the cases give.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include <muster/foundation/graph/evaluate/evaluate.hpp>
#include <muster/foundation/graph/text/graph_text.hpp>

namespace {

using namespace muster;
using namespace muster::graph;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

struct Tolerance {
    double relative = 1e-3, absolute = 1e-7;
};

/// What differs; empty if nothing does.
std::string difference(const Tensor& got, const Tensor& wanted, const Tolerance& tolerance) {
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
        const double bound = tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(b[i]));
        if (std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= bound) continue;
        return fmt::format("element {} is {} instead of {}", i, a[i], b[i]);
    }
    return {};
}

std::string compared(const Graph& graph, const std::vector<std::pair<std::string, Tensor>>& wanted,
                     const std::vector<Tensor>& got, const Tolerance& tolerance) {
    for (const auto& [name, tensor] : wanted) {
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (graph.value(graph.outputs()[i]).name != name) continue;
            const std::string found = difference(got[i], tensor, tolerance);
            if (!found.empty()) return fmt::format("\"{}\": {}", name, found);
        }
    }
    return wanted.size() == got.size() ? "" : "the number of outputs differs";
}

std::string outcome(const fs::path& folder, const std::string& name) {
    const auto graph = parse_graph(text_of(folder / (name + ".graph")), name);
    if (!graph) return fmt::format("refused {}: {}", name, first_line(graph.error().message));
    Tolerance tolerance;
    std::ifstream(folder / (name + ".tolerance")) >> tolerance.relative >> tolerance.absolute;
    for (int set = 0;; ++set) {
        const fs::path in = folder / fmt::format("{}.{}.in", name, set),
                       out = folder / fmt::format("{}.{}.out", name, set);
        if (!fs::exists(in)) return fmt::format("passed {}", name);
        const auto inputs = parse_tensors(text_of(in), in.string()),
                   wanted = parse_tensors(text_of(out), out.string());
        if (!inputs || !wanted) {
            return fmt::format("refused {}: {}", name,
                               first_line((inputs ? wanted : inputs).error().message));
        }
        std::vector<Tensor> tensors;
        for (const auto& [input, tensor] : *inputs) tensors.push_back(tensor);
        const auto got = evaluate(*graph, tensors);
        if (!got) return fmt::format("refused {}: {}", name, first_line(got.error().message));
        const std::string differs = compared(*graph, *wanted, *got, tolerance);
        if (!differs.empty()) return fmt::format("failed {}: {}", name, differs);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "graph_node_cases: give the folder that write_node_cases has filled.\n";
        return 2;
    }
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(argv[1])) {
        if (entry.path().extension() == ".graph") names.push_back(entry.path().stem().string());
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
        if (argc == 2 || name == argv[2]) std::cout << outcome(argv[1], name) << '\n';
    }
}
