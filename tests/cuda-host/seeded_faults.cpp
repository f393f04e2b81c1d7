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
    {"an f16 is rounded towards zero", R"((to_f16\(float )a(\) \{\n    unsigned short rounded;\n))", "$1given$2    const float a = cut_to_f16(given);\n"},
    {"f16 arithmetic isn't rounded in between", R"(from_f16\(to_f16\((\w+ \* \w+)\)\))", "($1)"},
    {"a NaN of f16 keeps its bits", R"(\(a & 0x7fffu\) > 0x7c00u \? 0x7e00u : )", ""},
    {"the high half of a word is its low one", R"((bitcast_f16\(unsigned a\) \{[^\n]*) >> 16)", "$1"},
    {"a ballot asks for the opposite", R"(__ballot_sync\(([^,\n]+), ([\w.<>=& ]+)\))", "__ballot_sync($1, !($2))"},
    {"an inactive invocation votes in a ballot", R"(__ballot_sync\((?:warp|~0u|__activemask\(\)), [^\n;]*\), 0u)", "~0u, 0u"},
    {"a shuffle reads from the next invocation", R"((__shfl_sync\([^,\n]+, [\w.]+, \w+)\))", "$1 + 1u)"},
    {"a shuffle reads from the invocation itself", R"(__shfl_sync\([^,\n]+, ([\w.]+), \w+\))", "$1"},
    {"a compare-exchange compares nothing", R"(atomicCAS\((&[^,\n]*), \w+, )", "atomicExch($1, "},
    {"a signed integer of 8 bits is unsigned", R"(typedef signed char i8_t;)", "typedef unsigned char i8_t;"},
    {"an unsigned integer of 8 bits is signed", R"(typedef unsigned char u8_t;)", "typedef signed char u8_t;"},
    {"a signed integer of 16 bits is unsigned", R"(typedef short i16_t;)", "typedef unsigned short i16_t;"},
    {"an unsigned integer of 16 bits is signed", R"(typedef unsigned short u16_t;)", "typedef short u16_t;"},
    {"an integer of 16 bits is cut to 8", R"(([ui])16_t\(([^()\n]*)\))", "$018_t($2)"},
    {"a shift's amount of 64 bits is taken modulo 32", R"(\(count & 63u\))", "(count & 31u)"},
    {"a high word is a low one", R"(unsigned\(a >> 32\))", "unsigned(a)"},
    {"a number of 64 bits loses its high word", R"(i64_t\(u64_t\(a\) ([-+*]))", "i64_t(unsigned(a) $1"},
    {"a double becomes an integer by way of a float", R"((f64_to_[iu]\d\d)\((\w+)\))", "$1(float($2))"},
    {"a NaN of 64 bits keeps its bits", R"(a != a \? 0x7ff8000000000000u : )", ""},
    {"an offset of a view isn't rounded down", R"((\w+|\)) & 42949672(?:88|80)u)", "$1"},
    {"a view may end behind its buffer", R"((\d\du <= t(?:_\d+)? && \w+ <= t(?:_\d+)?) - \d\du)", "$1"},
    {"a view may be longer than its buffer", R"(\d+u <= t(?:_\d+)? && )", ""},
    {"an offset in bytes is one in words", R"((t(?:_\d+)?) >> 2u)", "$1"},
    {"a length of a view counts bytes", R"(\((t(?:_\d+)? - \w+(?: - \d+u)?)\) / \d+u)", "($1)"},
    {"rows and columns are exchanged", R"(\[(\d)u\]\[(\d)u\])", "[$2u][$1u]"},
    {"products of a matrix are added from the end", R"((\w+[.\w\[\]]* \* [\w.\[\]()]+) \+ (\w+[.\w\[\]]* \* [\w.\[\]()]+) \+ (\w+[.\w\[\]]* \* [\w.\[\]()]+))", "$1 + ($2 + $3)"},
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

constexpr std::string_view cut_to_f16 =
    "inline float cut_to_f16(float a) { return __uint_as_float(__float_as_uint(a) & ~0x1fffu); }\n";

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
        one.text.insert(one.text.rfind("extern \"C\" __global__"), fused)
            .insert(0, cut_to_f16)
            .insert(0, other_sign);
        rename(one, fmt::format("{}_{}_{}", source.entry, &kind - kinds, k));
    }
    return faulty;
}

}  // namespace muster::test
