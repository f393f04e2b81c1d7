// saxpy.cpp - y = 2 * x + y on the best backend that is linked.
#include <iostream>
#include <vector>

#include <muster/muster.hpp>

constexpr const char* text = R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn saxpy(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&y)) {
    y[id.x] = a * x[id.x] + y[id.x];
  }
}
)";

// .value() throws where there is an error; a program that goes on after one looks at error() instead.
int main() {
    std::vector<float> host_x(1000, 3.0f), host_y(1000, 1.0f);

    auto session = muster::Session::open().value();
    auto program = muster::validate(muster::wgsl::parse(text).value()).value();
    auto kernel = session.prepare(program).value();
    auto x = session.buffer(host_x).value();
    auto y = session.buffer(host_y).value();
    muster::Invocations grid{1000};
    auto ticket = session.dispatch(kernel, {{"a", 2.0f}, {"x", x}, {"y", y}}, grid).value();
    ticket.wait().value();
    y.read(host_y).value();

    std::cout << "2 * 3 + 1 = " << host_y[999] << " on " << kernel.backend() << "\n";
    return host_y == std::vector<float>(1000, 7.0f) ? 0 : 1;
}
