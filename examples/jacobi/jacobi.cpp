// jacobi.cpp - heats a plate from its upper edge, on the best backend that is linked: all sweeps run in one
// dispatch, with a grid barrier after each. The kernel is that of jacobi.wgsl, written in C++.
#include <iostream>
#include <vector>

#include <muster/muster.hpp>

using namespace muster::lang;

struct Problem {
    Field<u32> width;
    Field<u32> height;
    Field<u32> sweeps;
};
struct HostProblem {
    std::uint32_t width, height, sweeps;
};

// .value() throws if there is an error; a program that handles errors checks the result
// and reads error() instead.
int main() {
    auto jacobi = kernel(
        "jacobi(problem, even, odd)", {32, 8}, [](Uniform<Problem> problem, InOut<f32> even, InOut<f32> odd) {
            auto x = global_invocation_id().x(), y = global_invocation_id().y();
            Value<u32> width = problem.width;
            if_((x == 0u) | (y == 0u) | (x + 1u >= width) | (y + 1u >= problem.height), [&] { return_(); });
            auto at = y * width + x;
            for_(0u, problem.sweeps, [&](auto& sweep) {
                if_(sweep % 2u == 0u, [&] {
                    odd[at] = 0.25f * (even[at - 1u] + even[at + 1u] + even[at - width] + even[at + width]);
                }).else_([&] {
                    even[at] = 0.25f * (odd[at - 1u] + odd[at + 1u] + odd[at - width] + odd[at + width]);
                });
                grid_barrier();
            });
        });

    const HostProblem problem{64, 48, 200};
    std::vector<float> plate(problem.width * problem.height, 0.0f);
    for (std::uint32_t x = 0; x < problem.width; ++x) plate[x] = 100.0f;

    auto session = muster::Session::open().value();
    auto ready = session.prepare(muster::validate(jacobi.value()).value()).value();
    auto even = session.buffer(plate).value(), odd = session.buffer(plate).value();
    muster::Invocations grid{problem.width, problem.height};
    auto ticket = session.dispatch(ready, {{"problem", problem}, {"even", even}, {"odd", odd}}, grid).value();
    ticket.wait().value();
    auto warm = even.read_all<float>().value();

    const float below = warm[10 * problem.width + 32], far = warm[40 * problem.width + 32];
    std::cout << "ten rows below the edge " << below << ", forty " << far << " on " << ready.backend()
              << "\n";
    return below > 10 && below < 100 && far >= 0 && far < 1 ? 0 : 1;
}
