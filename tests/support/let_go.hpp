// let_go.hpp - a buffer over the caller's memory that is let go of while dispatches use it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <doctest/doctest.h>
#include <support/callers_array.hpp>
#include <support/programs.hpp>

#include <muster/driver/session/session.hpp>

namespace muster::test {

/// Lets go of a buffer of so many floats with 200 dispatches in flight, and checks that all of them used it.
inline void check_let_go(Session session, std::size_t count) {
    const auto kernel = session.prepare(saxpy());
    REQUIRE(kernel);
    const CallersArray<float> y(count, 0, 1.0f);
    Buffer x = *session.buffer(std::vector<float>(count, 1.0f));
    std::optional<Ticket> last;
    {
        Buffer over = *session.buffer_over(y.all());
        for (int i = 0; i < 200; ++i)
            last = *session.dispatch(*kernel, {{"a", 1.0f}, {"x", x}, {"y", over}}, Invocations{count});
    }
    CHECK(last->wait());
    CHECK(y.holds(201.0f));
}

}  // namespace muster::test
