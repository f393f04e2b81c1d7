#include <vector>

#include <fmt/format.h>
#include <math_errors/arguments.hpp>
#include <math_errors/device.hpp>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::math_errors {
namespace {

Result<ValidProgram> program_of(Op op) {
    const std::string_view name = op == Op::inverse_sqrt ? "inverseSqrt" : info(op).name;
    const std::string text = fmt::format(R"(
        @group(0) @binding(0) var<storage> x: array<f32>;
        @group(0) @binding(1) var<storage> y: array<f32>;
        @group(0) @binding(2) var<storage, read_write> got: array<f32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            got[id.x] = {}(x[id.x]{});
        }})",
                                         name, info(op).operands == 2 ? ", y[id.x]" : "");
    return validate(TRY(wgsl::parse(text)));
}

}  // namespace

Result<FastFunction> FastFunction::open(Op op, const std::string& device) {
    Session session = TRY(Session::open({.policy = {.choice = Pinned{device}}, .use_environment = false}));
    Kernel kernel = TRY(session.prepare(TRY(program_of(op)), {.precision = Precision::fast}));
    Buffer x = TRY(session.zeros<float>(block_size)), y = TRY(session.zeros<float>(block_size));
    Buffer got = TRY(session.zeros<float>(block_size));
    return FastFunction(std::move(session), std::move(kernel), std::move(x), std::move(y), std::move(got));
}

void FastFunction::apply(std::span<const float> x, std::span<const float> y, std::span<float> got) {
    std::vector<Argument> arguments{{"x", x_}, {"got", got_}};
    x_.write(x).value();
    if (kernel_.program()->bindings().size() == 3) {
        y_.write(y).value();
        arguments.emplace_back("y", y_);
    }
    session_.dispatch(kernel_, arguments, Invocations{block_size}).value().wait().value();
    got_.read(got).value();
}

}  // namespace muster::math_errors
