// random_grid_program.hpp - random WGSL with grid barriers, from a seed; it is free of data races, and it ends.
//
// Between two barriers, invocations read all of one array and write their own elements of the other; then the
// arrays swap roles. Around the barriers are loops, branches, switches and functions that depend on uniforms,
// counters and loaded words; some invocations return on the way, or leave functions early.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace muster::testing {

/// Bindings 0 and 1: storage arrays x and y of u32, an element per invocation; 2: a uniform n: u32.
/// `invocations`: the size of the grid; workgroups have 8.
class RandomGridProgram {
  public:
    RandomGridProgram(std::uint64_t seed, std::uint32_t invocations)
        : random_(seed), invocations_(std::to_string(invocations) + "u") {}

    std::string text() {
        std::string functions;
        for (int i = 0; i < 2; ++i) {
            in_function_ = true;
            functions += "fn f" + std::to_string(i) +
                         "(i: u32, l: u32, s: u32) -> u32 {\nvar v0 = s; var v1 = x[i]; var v2 = 1u; "
                         "var t: array<u32, 5>;\n" +
                         phases(2, 1) + early_end() + "return v0 + v2;\n}\n";
        }
        in_function_ = false;
        calls_ = true;
        return "enable muster_grid_barrier;\n"
               "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
               "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
               "@group(0) @binding(2) var<uniform> n: u32;\n"
               "var<private> p: u32 = 3u;\nvar<workgroup> w: array<u32, 8>;\nvar<workgroup> m: u32;\n" +
               functions +
               "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>, "
               "@builtin(local_invocation_index) l: u32) {\nlet i = id.x;\nvar v0 = x[i]; var v1 = i; var v2 "
               "= n; "
               "var t: array<u32, 5>;\n" +
               (one_of(3) == 0 ? "if (i >= " + std::to_string(10 + one_of(30)) + "u) { return; }\n" : "") +
               phases(4, 2) + "gridBarrier();\nx[i] = v0 ^ v1;\ny[i] = v2 + p + t[i % 5u];\n}\n";
    }

  private:
    std::uint32_t one_of(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
    std::string number(std::uint32_t below) { return std::to_string(one_of(below)) + "u"; }
    std::string variable() { return "v" + std::to_string(one_of(3)); }

    std::string value(int depth, bool first_array) {
        const std::string source = first_array ? "x" : "y";
        switch (one_of(depth > 0 ? 9 : 5)) {
            case 0: return number(50);
            case 1: return variable();
            case 2: return "p";
            case 3: return "i";
            case 4: return "n";
            case 5: return source + "[(i * " + number(7) + " + " + number(40) + ") % " + invocations_ + "]";
            case 6: return "t[" + value(depth - 1, first_array) + " % 5u]";
            default:
                return "(" + value(depth - 1, first_array) + (one_of(2) ? " + " : " ^ ") +
                       value(depth - 1, first_array) + ")";
        }
    }
    std::string differing(bool first_array) {
        return "(" + value(1, first_array) + " + i) % 3u == " + number(3);
    }
    /// A condition that is the same for all invocations.
    std::string uniform() { return "(n + " + number(4) + " + " + uniform_ + ") % 3u != " + number(3); }

    /// Statements of one phase.
    std::string statements(bool first_array, int depth) {
        std::string text;
        for (std::uint32_t k = 0; k < 1 + one_of(3); ++k) {
            switch (one_of(depth > 0 ? 11 : 6)) {
                case 0:
                case 1: text += variable() + " = " + value(2, first_array) + ";\n"; break;
                case 2:
                    text += std::string(first_array ? "y" : "x") + "[i] = " + value(2, first_array) + ";\n";
                    break;
                case 3: text += "p = " + value(1, first_array) + ";\n"; break;
                case 4:
                    text += "t[" + value(1, first_array) + " % 5u] = " + value(1, first_array) + ";\n";
                    break;
                case 5:
                    text += first_array ? "w[l] = " + value(1, true) + ";\n"
                                        : variable() + " += w[(l + 3u) % 8u] + m;\n";
                    break;
                case 6:
                    text += "if (" + differing(first_array) + ") {\n" + statements(first_array, depth - 1) +
                            "}\n";
                    break;
                case 7:
                    text += "for (var k = 0u; k < 3u; k++) {\n" + statements(first_array, depth - 1) +
                            (one_of(2) ? "if (" + differing(first_array) + ") { break; }\n" : "") + "}\n";
                    break;
                case 8:
                    text += "if (l == 2u) { " + std::string(first_array ? "m = v0;" : "v1 = m;") + " }\n";
                    break;
                case 9:
                    if (!in_function_ && one_of(4) == 0)
                        text += "if (" + differing(first_array) + ") { v0 = 0u; return; }\n";
                    else if (!in_function_ && one_of(6) == 0)
                        text += "for (var k = 0u; k < 3u; k++) { switch (k) { case 1u: { if (" +
                                differing(first_array) + ") { return; } } default: { v1 += 1u; } } }\n";
                    break;
                default:
                    text += "if (" + uniform() + ") {\n" + statements(first_array, depth - 1) + "}\n";
                    break;
            }
        }
        return text;
    }

    /// Statements at the end of a function, after which nothing comes: some invocations may return early, also
    /// out of loops and switches.
    std::string early_end() {
        const std::string leave = "if (" + differing(true) + ") { return v1; }\n";
        const std::string more = "v0 += " + value(1, true) + ";\np = " + value(1, true) + ";\n";
        switch (one_of(4)) {
            case 0: return leave + more;
            case 1: return "for (var k = 0u; k < 3u; k++) {\n" + leave + "v0 += 1u;\n}\n" + more;
            case 2:
                return "if (n > 1u) {\ngridBarrier();\ny[i] += 1u;\nswitch (v1 % 2u) { case 0u: {\nif (l == "
                       "1u) { return v0; } } default: {} }\np = 9u;\n} v2 += 4u;\n" +
                       more;
            default: return "";
        }
    }

    std::string barrier(const char* loaded_from) {
        std::string text = "gridBarrier();\n";
        if (one_of(4) != 0) return text;
        const std::string name = "g" + std::to_string(names_++);
        text += "let " + name + " = gridUniformLoad(&" + loaded_from + "[" + number(60) + "]);\n" +
                variable() + " += " + name + ";\n";
        if (one_of(2))
            text += "if (" + name + " % 2u == 0u) {\n" + statements(loaded_from[0] == 'x', 1) + "}\n";
        return text;
    }

    /// Pairs of phases, so that the arrays have swapped roles twice afterwards.
    std::string phases(std::uint32_t most, int depth) {
        std::string text;
        for (std::uint32_t k = 0; k < 1 + one_of(most); ++k) {
            text += statements(true, 2);
            const std::string before = uniform_;
            switch (one_of(depth > 0 ? 6 : 2)) {
                case 0:
                case 1: text += barrier("y") + statements(false, 2) + barrier("x"); break;
                case 2:
                    text += "if (" + uniform() + ") {\n" + phases(1, depth - 1) +
                            (one_of(2) ? "} else {\n" + statements(true, 1) : "") + "}\n";
                    break;
                case 3: {
                    const std::string counter = "c" + std::to_string(names_++);
                    text += "for (var " + counter + " = 0u; " + counter + " < n % 4u; " + counter + "++) {\n";
                    uniform_ = counter;
                    text += phases(1, depth - 1) +
                            (one_of(2) ? "if (" + uniform() + ") { " + (one_of(2) ? "break" : "continue") +
                                             "; }\n" + statements(true, 1)
                                       : "") +
                            "}\n";
                    break;
                }
                case 4:
                    text += "switch (n % 3u) { case 0u: {\n" + phases(1, depth - 1) + "} case 1u: {\n" +
                            statements(true, 1) + "} default: {\n" + phases(1, depth - 1) + "} }\n";
                    break;
                default:
                    if (calls_)
                        text += variable() + " += f" + number(2).substr(0, 1) + "(i, l, " + value(1, true) +
                                ");\n";
                    break;
            }
            uniform_ = before;
        }
        return text;
    }

    std::mt19937_64 random_;
    std::string invocations_;
    std::string uniform_ = "0u";
    bool in_function_ = false, calls_ = false;
    int names_ = 0;
};

}  // namespace muster::testing
