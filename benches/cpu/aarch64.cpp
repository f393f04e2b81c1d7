// bench_aarch64: cycles of the kernels' inner loops on aarch64 by llvm-mca's models of its processors, beside
// those of the same loops in C++ (peers.cpp) by Clang. Nothing runs, so it needs no such machine. Needs
// clang++-19, llvm-mca-19 and the C++ library's headers for aarch64 (g++-aarch64-linux-gnu).
//
//     bench_aarch64 [PART-OF-A-NAME]
//
// An instruction that each element takes equally often, times its lanes, counts the elements of a loop's
// turn. The loop that is measured is the innermost one with the most elements, and the shorter of two
// equals. The models know neither caches nor wrongly predicted branches. C++ that calls functions in its
// loop has no figure, nor has the roof in fast mode: its constant addend would have to be moved for each
// fmla, which overwrites it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace {

constexpr std::array processors{"neoverse-n1", "neoverse-v2", "apple-m1"};

/// The instructions that count elements: each element takes so many that match.
struct Work {
    const char* instruction;  // a regular expression
    double per_element = 1;
};
struct Row {
    const char *name, *kernel, *options;
    Work ours;
    const char* peer;  // part of the function's mangled name
    Work theirs;
    bool has_fast_peer = true;
};

constexpr Work products{"fmul|fml[as]|fmadd"}, sums{"fadd"}, comparisons{"fcm\\w*"}, stores{"st\\w*"};
constexpr Work roots{"fsqrt|frsqrte"};
const std::array rows{
    Row{"saxpy", "examples/saxpy/saxpy.wgsl", "", products, "5saxpy", products},
    // The first step of a workgroup's tree: an addition takes two elements.
    Row{"sum", "examples/kernels/reduce.wgsl", "", {"fadd", 0.5}, "3sum", sums},
    Row{"mandelbrot", "examples/kernels/mandelbrot.wgsl", "", comparisons, "10mandelbrot", {"fcmp"}},
    Row{"sgemm, shared tiles", "examples/kernels/matmul.wgsl", "", products, "6matmul", products},
    Row{"sgemm, register tiles (C++: its roof)", "examples/kernels/matmul_tiled.wgsl", "", products,
        "13multiply_adds", products, false},
    Row{"stencil",
        "measuring/whole_kernels/stencil.wgsl",
        "--override width=8192 --override height=8192",
        {"fadd", 4},
        "7stencil",
        {"fadd", 4}},
    Row{"histogram", "examples/kernels/histogram.wgsl", "", stores, "9histogram", stores},
    Row{"n-body", "examples/kernels/nbody.wgsl", "", roots, "5nbody", roots},
    Row{"black-scholes",
        "measuring/whole_kernels/black_scholes.wgsl",
        "",
        {"fsqrt"},
        "13black_scholes",
        {"fsqrt"}},
    Row{"sparse matrix x vector", "measuring/whole_kernels/spmv.wgsl", "", products, "4spmv", products},
    Row{"attention, scores", "measuring/whole_kernels/flash_attention.wgsl", "--override length=1024",
        products, "9attention", products},
    Row{"k-means", "measuring/whole_kernels/kmeans.wgsl", "--entry assign --override centre_count=16",
        comparisons, "6kmeans", comparisons},
};

using Lines = std::vector<std::string>;

[[noreturn]] void give_up(const std::string& message) {
    fmt::print(stderr, "bench_aarch64: {}\n", message);
    std::exit(1);
}

/// The command's output; gives up if it fails.
std::string output(const std::string& command) {
    FILE* const pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    if (pipe == nullptr || pclose(pipe) != 0) give_up("this failed: " + command);
    return text;
}

using Functions = std::map<std::string, Lines>;

/// The functions of an assembly text, by name; labels and instructions only.
Functions functions_of(const std::string& assembly) {
    static const std::regex comment_or_margin("\\s*//.*|^\\s+|\\s+$"), name("([A-Za-z_][\\w.]*):.*");
    Functions functions;
    Lines* current = nullptr;
    std::istringstream lines(assembly);
    for (std::string line; std::getline(lines, line);) {
        line = std::regex_replace(line, comment_or_margin, "");
        std::smatch label;
        if (std::regex_match(line, label, name))
            current = &functions[label[1]];
        else if (current && !line.empty() && (line.front() != '.' || line.back() == ':'))
            current->push_back(line);
    }
    return functions;
}

/// The instructions of each innermost loop: from a label to the last branch back to it.
std::vector<Lines> innermost_loops(const Lines& function) {
    static const std::regex to_label("(b|b\\.\\w+|cbn?z|tbn?z)\\s.*?(\\.L\\w+)");
    std::map<std::string, std::size_t> labels;
    std::map<std::size_t, std::size_t> loops;  // first line -> last line
    for (std::size_t i = 0; i < function.size(); ++i) {
        std::smatch branch;
        if (function[i].back() == ':')
            labels[function[i].substr(0, function[i].size() - 1)] = i;
        else if (std::regex_match(function[i], branch, to_label) && labels.contains(branch[2]))
            loops[labels[branch[2]]] = i;
    }
    std::vector<Lines> found;
    for (const auto& [first, last] : loops) {
        const auto is_inside = [&](const auto& other) { return other.first > first && other.second <= last; };
        if (std::ranges::any_of(loops, is_inside)) continue;
        Lines& loop = found.emplace_back();
        for (std::size_t i = first; i <= last; ++i)
            if (function[i].back() != ':') loop.push_back(function[i]);
    }
    return found;
}

double elements(const Lines& loop, const Work& work) {
    const std::regex counted(fmt::format("({})\\s.*", work.instruction)), vector(".*?\\.(\\d+)[bhsd].*");
    double found = 0;
    for (const std::string& line : loop) {
        std::smatch lanes;
        if (std::regex_match(line, counted))
            found += std::regex_match(line, lanes, vector) ? std::stod(lanes[1]) : 1;
    }
    return found / work.per_element;
}

struct Measured {
    std::array<double, processors.size()> cycles;  // of one element
};

std::optional<Measured> measure(const Functions& functions, const std::string& function, const Work& work) {
    Lines hottest;
    double most = 0;
    for (const auto& [name, lines] : functions) {
        if (name.find(function) == std::string::npos) continue;
        for (const Lines& loop : innermost_loops(lines)) {
            const double here = elements(loop, work);
            if (here > most || (here == most && loop.size() < hottest.size())) hottest = loop, most = here;
        }
    }
    const auto calls = [](const std::string& line) { return line.starts_with("bl\t"); };
    if (hottest.empty() || std::ranges::any_of(hottest, calls)) return {};
    const auto path = std::filesystem::temp_directory_path() / fmt::format("bench_aarch64_{}.s", getpid());
    {
        std::ofstream file(path);
        file << "loop:\n";
        for (const std::string& line : hottest)
            file << std::regex_replace(std::regex_replace(line, std::regex(":lo12:\\.L\\w+"), "0"),
                                       std::regex("\\.L\\w+"), "loop")
                 << '\n';
    }
    Measured measured{};
    constexpr int turns = 200;
    for (std::size_t p = 0; p < processors.size(); ++p) {
        const std::string report =
            output(fmt::format("llvm-mca-19 -mtriple=aarch64 -mcpu={} -iterations={} -instruction-info=false "
                               "-resource-pressure=false {} 2>&1",
                               processors[p], turns, path.string()));
        std::smatch cycles;
        if (!std::regex_search(report, cycles, std::regex("Total Cycles:\\s+(\\d+)")))
            give_up("llvm-mca-19 says: " + report);
        measured.cycles[p] = std::stod(cycles[1]) / turns / most;
    }
    std::filesystem::remove(path);
    return measured;
}

Functions peers(bool fast) {
    return functions_of(output(fmt::format(
        "clang++-19 --target=aarch64-linux-gnu -march=armv8-a -std=c++20 -O3 -fopenmp-simd -w {} "
        "-DMUSTER_PEERS={}_peers_native -DMUSTER_PEERS_FAST={} -S -o - " MUSTER_SOURCE_DIR
        "/benches/cpu/peers.cpp",
        fast ? "-ffast-math" : "-ffp-contract=off -fno-math-errno", fast ? "fast" : "exact", fast)));
}

}  // namespace

int main(int count, char** arguments) {
    const std::string only = count > 1 ? arguments[1] : "";
    fmt::print("| kernel | mode |");
    for (const char* processor : processors) fmt::print(" {} |", processor);
    fmt::print("\n| --- | --- |");
    for (std::size_t p = 0; p < processors.size(); ++p) fmt::print(" --- |");
    fmt::print("\n");
    for (const bool fast : {false, true}) {
        const Functions cpp = peers(fast);
        for (const Row& row : rows) {
            if (std::string(row.name).find(only) == std::string::npos) continue;
            const Functions code = functions_of(output(
                fmt::format(MUSTER_TOOL " emit " MUSTER_SOURCE_DIR
                                        "/{} {} --backend cpu --target cpu:aarch64 --format asm {} -o - 2>&1",
                            row.kernel, row.options, fast ? "--fast" : "")));
            const auto ours = measure(code, "_kernel", row.ours);
            if (!ours) give_up(fmt::format("no inner loop found in {}", row.kernel));
            std::optional<Measured> theirs;
            if (!fast || row.has_fast_peer) theirs = measure(cpp, row.peer, row.theirs);
            fmt::print("| {} | {} |", row.name, fast ? "fast" : "exact");
            for (std::size_t p = 0; p < processors.size(); ++p)
                fmt::print(" {:.3g}{} |", ours->cycles[p],
                           theirs ? fmt::format(" / {:.3g} = {:.2f}", theirs->cycles[p],
                                                ours->cycles[p] / theirs->cycles[p])
                                  : "");
            fmt::print("\n");
            std::fflush(stdout);
        }
    }
}
