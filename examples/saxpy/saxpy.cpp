// saxpy.cpp - computes y = 2 * x + y on the best backend that is linked. The kernel has the same
// fingerprint as saxpy.wgsl.
#include <iostream>
#include <vector>

#include <muster/muster.hpp>

using namespace muster::lang;

// .value() throws if there is an error; a program that handles errors checks the result
// and reads error() instead.
int main() {
    auto saxpy = kernel("saxpy(a, x, y)", {256}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        y[i] = a * x[i] + y[i];
    });

    std::vector<float> host_x(1000, 3.0f), host_y(1000, 1.0f);

    auto session = muster::Session::open().value();
    auto ready = session.prepare(muster::validate(saxpy.value()).value()).value();
    auto x = session.buffer(host_x).value();
    auto y = session.buffer(host_y).value();
    muster::Invocations grid{1000};
    auto ticket = session.dispatch(ready, {{"a", 2.0f}, {"x", x}, {"y", y}}, grid).value();
    ticket.wait().value();
    y.read(host_y).value();

    std::cout << "2 * 3 + 1 = " << host_y[999] << " on " << ready.backend() << "\n";
    return host_y == std::vector<float>(1000, 7.0f) ? 0 : 1;
}
