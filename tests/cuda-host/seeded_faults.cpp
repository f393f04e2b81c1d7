#include "cuda-host/seeded_faults.hpp"

#include <algorithm>
#include <regex>
#include <string>

#include <fmt/format.h>

namespace muster::test {
namespace {

// clang-format off
constexpr FaultKind kinds[] = {
    {"a barrier is missed", R"(__syncthreads\(\);)", ""},
    {"workgroup memory isn't zeroed", R"((if|for) \((const )?unsigned k(_\d+)? = [^{}]* = \{\};)", ""},
    {"a variable isn't zero at first", R"(( \w+ = )0u;)", "$011u;"},
    {"the guard of a load is dropped", R"([\w.]+ < \w+_length \? )", "true ? "},
    {"the guard of a store is dropped", R"(if \([\w.]+ < \w+_length\) )", ""},
    {"a run-time array is one element too long", R"( < (\w+_length))", " <= $1"},
    {"an array is one element too long", R"((\w+) < (\d+)u( \?|\)))", "$1 <= $2u$3"},
    {"an array is one element too short", R"((\w+) < (\w+_length)\b)", "$1 + 1u < $2"},
    {"a shift's amount isn't taken modulo 32", R"(\(count & 31u\))", "count"},
    {"a right shift of a signed number is unsigned", R"((shr_i32\(int a, unsigned count\) \{ return )a)", "$1unsigned(a)"},
    {"a right shift of an unsigned number is signed", R"((shr_u32\(unsigned a, unsigned count\) \{ return )a)", "$1int(a)"},
    {"a division isn't guarded from 0", R"(b == 0u? \? (?:a|0u) : )", ""},
    {"the least integer is divided by -1", R"( \|\| \(b == -1 && a == int\(0x80000000u\)\))", ""},
    {"a sum of integers overflows", R"(int\(unsigned\(a\) \+ unsigned\(b\)\))", "a + b"},
    {"a product of integers overflows", R"(int\(unsigned\(a\) \* unsigned\(b\)\))", "a * b"},
    {"a comparison's bound goes to the other side", R"((\w|\)) <= )", "$1 < "},
    {"a comparison is turned round", R"( >= )", " < "},
    {"equal is unequal", R"((\w|\)) == (?=[^;]*\n))", "$1 != "},
    {"a comparison takes the other sign", R"(([^\w.])([a-z]\w*) (<|<=|>|>=) ([a-z]\w*)([^\w.(]))", "$1other_sign($2) $3 other_sign($4)$5"},
    {"a condition is turned round", R"(if \(([^{}\n]*)\) \{\n)", "if (!($1)) {\n"},
    {"a condition is turned round within a line", R"(if \(([^{}\n;]*)\) (break|continue|return);)", "if (!($1)) $2;"},
    {"a select's arms are swapped", R"( \? (\w[\w.]*) : (\w[\w.]*)(?=[;,)]))", " ? $2 : $1"},
    {"a break is forgotten", R"(\n +break;)", "\n;"},
    {"continue leaves the loop", R"(continue;)", "break;"},
    {"a store is forgotten", R"(\n    +[\w\]\[.]+ = [^;{}\n]*;)", "\n"},
    {"a minimum is a maximum", R"(\bmin\()", "max("},
    {"a minimum forgets that -0 is less", R"(a == b \? equal : less)", "less"},
    {"a maximum forgets that -0 is less", R"(a == b \? equal : greater)", "greater"},
    {"an atomic sum is a difference", R"(atomicAdd\()", "atomicSub("},
    {"an atomic maximum is a minimum", R"(atomicMax\()", "atomicMin("},
    {"an atomic \"and\" is an \"or\"", R"(atomicAnd\()", "atomicOr("},
    {"an atomic operation isn't guarded", R"([\w.]+ < \w+_length \? (atomic))", "true ? $1"},
    {"a NaN keeps its bits", R"(a != a \? 0x7fc00000u? : )", ""},
    {"a conversion to integers isn't clamped to what floats have", R"(a >= 2147483648\.0f \? 2147483520 : )", ""},
    {"rounding to even goes down", R"(\brintf\()", "floorf("},
    {"truncation goes down", R"(\btruncf\()", "floorf("},
    {"the first bit is the last", R"(__clz\(int\(__brev\(unsigned\(a\)\)\)\)|__clz\(int\(__brev\(a\)\)\))", "__clz(int(a))"},
    {"x and y of a thread are swapped", R"(threadIdx\.x)", "threadIdx.y"},
    {"x and y of a block are swapped", R"(blockIdx\.x)", "blockIdx.y"},
    {"where a part of the grid begins is forgotten", R"(\w+\.x \+ blockIdx\.x)", "blockIdx.x"},
    {"the grid is a part's", R"(= grid;)", "= make_uint3(gridDim.x, gridDim.y, gridDim.z);"},
    {"a workgroup is one thread larger", R"((\d+)u \+ threadIdx\.x)", "($1u + 1u) + threadIdx.x"},
    {"a uniform in memory isn't read", R"((\w+)\.memory \? \*\1\.memory : )", ""},
    {"a component is another one", R"((a|b)\.x (\S+) (a|b)\.x)", "$1.y $2 $3.x"},
    {"a product is added unrounded", R"(\b((?:[a-z]\w*)(?:\[\w+\])?) \* ((?:[a-z]\w*)(?:\[\w+\])?) \+ ((?:[a-z]\w*)(?:\[\w+\])?)(?=[;,) ]))",
     "fused($1, $2, $3)"},
    {"what follows an array lies a word further", R"((reinterpret_cast<(?:const )?char\*>\(\w+\)) \+ (\d+))", "$1 + 4 + $2"},
    {"a loop's step is forgotten", R"((for \([^;\n]*; [^;\n]*; )[^)\n]*\) \{)", "$1) {"},
    {"a grid barrier is missed", R"(\n *grid_barrier\(barrier_state(, running)?\);)", "\n"},
    {"a block doesn't wait for the others", R"(while \(load_atomic_u32\(&state->turn\) == turn\))", "while (false)"},
    {"a block's threads don't wait for the others' blocks", R"((arrive\(state, \w+\);\n    )__(syncthreads|barrier_sync)\(\w*\);)", "$1"},
    {"who has returned comes back to life", R"(leave_grid\(barrier_state, running\);\n +return;)", ";"},
    {"who has returned doesn't arrive", R"(leave_grid\(barrier_state, running\);(\n +return;))", "$1"},
    {"who comes to the end doesn't arrive", R"(leave_grid\(barrier_state, running\);\n\})", "}"},
    {"a block that has left is waited for", R"(if \(leaves\) atomicAdd\(&state->left, 1u\);)", ""},
    {"a block leaves while threads of it go on", R"(load_atomic_u32\(&running\) == 0u)", "load_atomic_u32(&running) != 64u"},
    {"the next launch finds blocks that have left", R"( % blocks;)", ";"},
    {"bits are converted", R"(__uint_as_float\((\w+)\))", "float($1)"},
};
// clang-format on

// Helpers for patterns that also match operands of other types, which they don't change. The first is inserted
// before everything else, the second before the kernel, after the operators of vectors.
constexpr std::string_view other_sign =
    "inline float other_sign(float a) { return a; }\n"
    "inline unsigned other_sign(int a) { return unsigned(a); }\n"
    "inline int other_sign(unsigned a) { return int(a); }\n";
constexpr std::string_view fused =
    "template <class A, class B, class C>\n"
    "inline auto fused(A a, B b, C c) { return a * b + c; }\n"
    "inline float fused(float a, float b, float c) { return fmaf(a, b, c); }\n";

struct Position {
    std::size_t at, length;
    std::string instead;
};

bool is_in_assertion(const std::string& text, std::size_t at) {
    const std::size_t line = text.rfind('\n', at) + 1;
    return text.compare(line, 13, "static_assert") == 0 || text.compare(line, 2, "//") == 0;
}

std::vector<Position> positions(const FaultKind& kind, const std::string& text) {
    const std::regex pattern(kind.pattern);
    std::vector<Position> found;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
        if (const auto at = static_cast<std::size_t>(match->position()); !is_in_assertion(text, at))
            found.push_back({at, static_cast<std::size_t>(match->length()), match->format(kind.instead)});
    return found;
}

void rename(cuda::CudaSource& source, const std::string& name) {
    source.text.replace(source.text.find(source.entry + "("), source.entry.size(), name);
    source.entry = name;
}

}  // namespace

std::span<const FaultKind> fault_kinds() { return kinds; }

std::vector<cuda::CudaSource> planted(const FaultKind& kind, const cuda::CudaSource& source, std::size_t most,
                                      std::size_t turn) {
    const std::vector<Position> all = positions(kind, source.text);
    const std::size_t count = std::min(most, all.size());
    std::vector<cuda::CudaSource> faulty;
    for (std::size_t k = 0; k < count; ++k) {
        const Position& position = all[(turn + k * all.size() / count) % all.size()];
        cuda::CudaSource& one = faulty.emplace_back(source);
        one.text.replace(position.at, position.length, position.instead);
        one.text.insert(one.text.rfind("extern \"C\" __global__"), fused).insert(0, other_sign);
        rename(one, fmt::format("{}_{}_{}", source.entry, &kind - kinds, k));
    }
    return faulty;
}

}  // namespace muster::test
