// Atomic operations at scattered indices that scalars compute lane by lane, and loops that run without masks until lanes leave:
// the interpreter's bits at every width, whatever the indices are made of and however the loop ends.
#include <array>

#include <doctest/doctest.h>

#include <muster/conformance/run_case.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "lowering/run_lowered.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

const std::string declarations = R"(
    @group(0) @binding(0) var<storage, read> words: array<u32>;
    @group(0) @binding(1) var<storage, read> quads: array<vec4u>;
    @group(0) @binding(2) var<storage, read_write> mine: array<u32>;
    @group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>, 64>;
    @group(0) @binding(4) var<storage, read_write> turns: array<u32>;
    var<workgroup> bins: array<atomic<u32>, 64>;
    fn better(x: u32, y: u32) -> u32 {
        if (y & 31) > (x & 31) || ((y & 31) == (x & 31) && y < x) { return y; }
        return x;
    }
)";

// Adds up the workgroups' bins, which the body updates.
std::string kernel_of(const std::string& body) {
    return declarations + R"(
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32,
            @builtin(num_workgroups) groups: vec3u) {
        let step = 64 * groups.x;
)" + body + R"(
        workgroupBarrier();
        atomicAdd(&counts[lane], atomicLoad(&bins[lane]));
    })";
}

struct UpdateBody {
    const char* name;
    const char* text;
};
const std::array update_bodies{
    UpdateBody{"bytes of a word, as far as the array goes", R"(
        for (var i = id.x; i < arrayLength(&words); i += step) {
            let word = words[i];
            for (var byte = 0u; byte < 4; byte++) { atomicAdd(&bins[extractBits(word, 8 * byte, 6)], 1); }
        })"},
    UpdateBody{"a loop of updates whose counter is used behind it, and that ends early", R"(
        let word = words[id.x & 15];
        var k = 0u;
        for (; k < 7; k++) {
            if k == groups.x + 3 { break; }
            atomicAdd(&bins[(word >> (3 * k)) & 63], k + 1);
        }
        turns[id.x] = k;)"},
    UpdateBody{"operands that differ by lane", R"(
        let word = words[id.x & 15];
        atomicAdd(&bins[word & 15], word >> 7);
        atomicXor(&bins[16 + ((word >> 6) & 15)], id.x);
        atomicMax(&bins[32 | ((word >> 12) & 31)], lane);)"},
    UpdateBody{"components, and indices from another array", R"(
        let quad = quads[id.x & 7];
        atomicAdd(&bins[quad.z & 63], 3);
        atomicAdd(&bins[words[quad.y & 15] & 63], 5);
        atomicAdd(&bins[(quad.x * 5 - quad.w) & 63], 7);)"},
    UpdateBody{"what the kernel writes isn't read again", R"(
        let before = mine[id.x];
        mine[id.x] = before * 3 + 1;
        atomicAdd(&bins[before & 63], 1);
        let after = mine[id.x];
        mine[id.x] = 0;
        atomicAdd(&bins[after & 63], 100);)"},
    UpdateBody{"an index from before a barrier", R"(
        let word = words[id.x & 15] * 7;
        let index = ((word >> 3) ^ (word << 2) ^ (word >> 9) ^ (word * 5) ^ (word >> 17)) & 63;
        atomicAdd(&bins[index], 1);
        workgroupBarrier();
        atomicAdd(&bins[index], 1000);
        atomicAdd(&bins[(index + 1) & 63], 1000000);)"},
    UpdateBody{"some lanes, and out of bounds", R"(
        for (var i = id.x; i < arrayLength(&words); i += step) {
            let word = words[i];
            if (word & 4) != 0 { atomicAdd(&bins[word & 63], 1); }
            atomicAdd(&bins[word & 127], 1000);
            atomicAdd(&bins[words[i + 5] & 63], 1000000);
        })"},
    UpdateBody{"a loop that lanes leave in the middle", R"(
        var k = 0u;
        for (var i = id.x; i < arrayLength(&words); i += step) {
            if (words[i] & 15) == 3 { break; }
            atomicAdd(&bins[words[i] & 63], 1);
            k++;
        }
        turns[id.x] = k;)"},
    UpdateBody{"a loop that some lanes begin anew", R"(
        var sum = 0u;
        for (var i = id.x; i < arrayLength(&words); i += step) {
            if (words[i] & 1) == 1 { continue; }
            sum += words[i];
            atomicAdd(&bins[words[i] & 63], 1);
        }
        turns[id.x] = sum;)"},
    UpdateBody{"a loop in a loop, with a sum", R"(
        var sum = 0u;
        for (var i = id.x; i < arrayLength(&words); i += step) {
            for (var k = 0u; k < (words[i] & 3); k++) {
                if k == 2 && (words[i] & 4) != 0 { break; }
                sum += k + i;
            }
        }
        turns[id.x] = sum;)"},
    UpdateBody{"a loop with a function that lanes leave early", R"(
        var best = 0u;
        for (var i = id.x; i < arrayLength(&words); i += step) { best = better(best, words[i]); }
        turns[id.x] = best;)"},
    UpdateBody{"a loop that ends for all lanes, by a counter of its own", R"(
        var sum = 0u;
        var k = 0u;
        for (var i = id.x; arrayLength(&words) > i; i += step) {
            sum += words[i];
            k += 1;
            if k == 2 { break; }
        }
        turns[id.x] = sum;)"},
    UpdateBody{"a counter that wraps, and numbers that don't follow each other", R"(
        var sum = 0u;
        for (var i = id.x - 8; i < arrayLength(&words); i += step) { sum += words[i]; }
        for (var i = 2 * id.x; i < arrayLength(&words); i += 2 * step) { sum += 3 * words[i]; }
        turns[id.x] = sum;)"},
};

Case case_of_updates(const UpdateBody& body, std::uint32_t words) {
    Case test{.name = body.name, .text = kernel_of(body.text), .grid = Workgroups{3, 1, 1}};
    const auto numbers = [](std::uint32_t count, std::uint32_t factor) {
        Values values{Scalar::u32, {}};
        for (std::uint32_t i = 0; i < count; ++i) values.words.push_back((i + 3) * factor ^ i << 11);
        return values;
    };
    test.bind["words"] = numbers(words, 2654435761u);
    test.bind["quads"] = numbers(32, 2246822519u);
    test.bind["mine"] = numbers(192, 40503u);
    test.bind["counts"] = {Scalar::u32, std::vector<std::uint32_t>(64)};
    test.bind["turns"] = {Scalar::u32, std::vector<std::uint32_t>(192)};
    return test;
}

}  // namespace

TEST_CASE("updates at scattered indices give the interpreter's bits at every width") {
    for (const UpdateBody& body : update_bodies)
        for (const std::uint32_t words : {1u, 17u, 192u, 500u, 1000u}) {
            const std::string name = body.name;
            CAPTURE(name);
            CAPTURE(words);
            const Case test = case_of_updates(body, words);
            const auto parsed = wgsl::parse(test.text, {.file = "updates.wgsl"});
            REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
            const auto program = validate(*parsed);
            REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
            const auto expected = run_interpreted(test, *program, 1);
            REQUIRE(expected);
            for (const std::uint32_t width : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
                CAPTURE(width);
                const auto actual = test::run_lowered(test, *program, width);
                REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
                for (std::size_t i = 0; i < expected->size(); ++i)
                    CHECK_MESSAGE(difference((*expected)[i], (*actual)[i], false) == "",
                                  (*program)->variable((*program)->bindings()[i]).name);
            }
        }
}
