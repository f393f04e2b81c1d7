// workgroupUniformLoad: what it is made of, that control flow may depend on it, and its refusals.

#include <string>

#include <support/same_program.hpp>
#include <support/text.hpp>

#include <muster/foundation/lang/kernel.hpp>

#include "support/parse.hpp"

using namespace muster;
using muster::test::has;
using test::first_fault;

namespace {

std::string with_shared(std::string_view statements) {
    return "struct Pair { a: u32, b: atomic<u32> }\n"
           "var<workgroup> w: array<u32, 4>; var<workgroup> s: Pair; @group(0) @binding(0) var<storage> g: "
           "u32;\n"
           "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n" +
           std::string(statements) + "\n}\n";
}

std::string fault_of(std::string_view statements) {
    const Result<ValidProgram> valid = test::try_program(with_shared(statements));
    return valid ? "" : valid.error().to_string();
}

}  // namespace

TEST_CASE("workgroupUniformLoad is a load between two barriers") {
    const auto same = [](const char* a, const char* b) {
        return test::parse(with_shared(a)).fingerprint() == test::parse(with_shared(b)).fingerprint();
    };
    CHECK(same("w[i] = workgroupUniformLoad(&w[1]);",
               "workgroupBarrier(); let v = w[1]; workgroupBarrier(); w[i] = v;"));
    CHECK(same("let p = &s; w[i] = workgroupUniformLoad(&p.b);",
               "workgroupBarrier(); let v = atomicLoad(&s.b); workgroupBarrier(); w[i] = v;"));
    CHECK(same("w[i] = workgroupUniformLoad(&w)[2];",
               "workgroupBarrier(); let v = w; workgroupBarrier(); w[i] = v[2];"));
}

TEST_CASE("control flow that depends on it is uniform") {
    CHECK(fault_of("if workgroupUniformLoad(&w[0]) > 1 { workgroupBarrier(); }") == "");
    CHECK(fault_of("while workgroupUniformLoad(&s.b) < 9 { atomicAdd(&s.b, 1); }") == "");
    CHECK(fault_of("if workgroupUniformLoad(&w[workgroupUniformLoad(&w[0])]) > 1 { workgroupBarrier(); }") ==
          "");
    // A load between two barriers that the text doesn't write as this function is uniform in the program alone.
    const std::string between = with_shared(
        "workgroupBarrier(); let v = w[0] + 2 * w[w[1]]; workgroupBarrier(); "
        "if v > 1 { workgroupBarrier(); }");
    CHECK(has(first_fault(between), "The workgroup barrier stands in non-uniform control flow"));
    CHECK(validate(test::parse("diagnostic(off, muster.uniformity); " + between)));
    // Another place for each invocation, a load that isn't between two barriers, and other memory.
    constexpr const char* reason = "stands in non-uniform control flow";
    CHECK(has(fault_of("if workgroupUniformLoad(&w[i]) > 1 { workgroupBarrier(); }"), reason));
    CHECK(has(fault_of("workgroupBarrier(); if w[0] > 1 { workgroupBarrier(); }"), reason));
    CHECK(has(fault_of("let v = w[0]; workgroupBarrier(); if v > 1 { workgroupBarrier(); }"), reason));
    CHECK(has(fault_of("workgroupBarrier(); w[i] = 1; let v = w[0]; workgroupBarrier(); "
                       "if v > 1 { workgroupBarrier(); }"),
              reason));
    CHECK(has(fault_of("workgroupBarrier(); let v = w[0]; w[i] = 1; workgroupBarrier(); "
                       "if v > 1 { workgroupBarrier(); }"),
              reason));
    CHECK(has(fault_of("storageBarrier(); let v = w[0]; storageBarrier(); if v > 1 { workgroupBarrier(); }"),
              reason));
    CHECK(has(fault_of("if i > 1 { w[0] = workgroupUniformLoad(&w[1]); }"), reason));
}

TEST_CASE("workgroupUniformLoad in C++ and in WGSL have one fingerprint") {
    using namespace muster::lang;
    test::check_same(kernel("total(x)", {4},
                            [](InOut<u32> x) {
                                Workgroup<u32, 4> w;
                                Workgroup<Atomic<u32>> sum;
                                auto i = local_invocation_index();
                                w[i] = x[i];
                                sum.add(x[i]);
                                Value<u32> one = workgroup_uniform_load(w[2]);
                                x[i] = one + workgroup_uniform_load(sum);
                                Value<Array<u32, 4>> all = workgroup_uniform_load(w);
                                x[i] = all[1];
                            }),
                     R"(
        @group(0) @binding(0) var<storage, read_write> x: array<u32>;
        var<workgroup> w: array<u32, 4>;
        var<workgroup> sum: atomic<u32>;
        @compute @workgroup_size(4) fn total(@builtin(local_invocation_index) i: u32) {
            w[i] = x[i];
            atomicAdd(&sum, x[i]);
            let one = workgroupUniformLoad(&w[2]);
            x[i] = one + workgroupUniformLoad(&sum);
            let all = workgroupUniformLoad(&w);
            x[i] = all[1];
        })");
}

TEST_CASE("workgroupUniformLoad takes a pointer to workgroup memory") {
    const auto fault = [](const char* statements) { return first_fault(with_shared(statements)); };
    CHECK(fault("_ = workgroupUniformLoad(w[0]);") ==
          "4:5: workgroupUniformLoad takes a pointer to workgroup memory, not u32.");
    CHECK(fault("_ = workgroupUniformLoad(&g);") ==
          "4:5: workgroupUniformLoad takes a pointer to workgroup memory, not ptr<storage, u32, read>.");
    CHECK(fault("_ = workgroupUniformLoad(&s);") == "4:5: A value of type Pair can't be read as a whole.");
    CHECK(fault("_ = workgroupUniformLoad();") == "4:5: workgroupUniformLoad takes 1 argument, 0 given.");
    CHECK(fault("workgroupUniformLoad(&w[0]);") == "4:1: The value of workgroupUniformLoad isn't used.");
}
