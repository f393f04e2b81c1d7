// A program that links muster::runtime copies and fills: that takes no kernel, which it couldn't compile.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <muster/driver/session/session.hpp>

int main() {
    using namespace muster;
    auto session = Session::open();
    if (!session) return std::puts(session.error().to_string().c_str()), 1;
    const Buffer a = *session->zeros<std::uint32_t>(1000), b = *session->zeros<std::uint32_t>(1000);
    Sequence steps = session->sequence();
    auto recorded = steps.fill({a}, 7);
    if (recorded) recorded = steps.copy({a, 4, 400}, {b, 0, 400});
    if (!recorded) return std::puts(recorded.error().to_string().c_str()), 1;
    const auto ticket = steps.submit();
    if (!ticket || !ticket->wait()) return std::puts(ticket.error().to_string().c_str()), 1;
    const std::vector<std::uint32_t> words = *b.read_all<std::uint32_t>();
    if (words[99] != 7 || words[100] != 0) return std::puts("wrong words"), 1;
    std::puts("ok");
}
