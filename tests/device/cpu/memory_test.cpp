#include <algorithm>

#include <doctest/doctest.h>

#include <muster/backend-cpu/device/memory.hpp>
#include <muster/driver/contract/check.hpp>

using namespace muster;
using namespace muster::cpu;

TEST_CASE("memory is aligned and zero, again and again, whatever its size") {
    for (int turn = 0; turn < 3; ++turn)
        for (const std::uint64_t bytes : {0u, 1u, 4u, 63u, 4096u, (256u << 10) - 1, 256u << 10,
                                          (2u << 20) - 1, 2u << 20, (5u << 20) + 12}) {
            const auto memory = allocate_host(bytes);
            REQUIRE(memory);
            const auto all = host_bytes(**memory);
            CHECK((*memory)->bytes() == bytes);
            REQUIRE(all.size() == bytes);
            CHECK(reinterpret_cast<std::uintptr_t>(all.data()) % memory_align == 0);
            CHECK(std::ranges::all_of(all, [](std::byte byte) { return byte == std::byte{0}; }));
            std::ranges::fill(all, std::byte{0xff});
        }
}

TEST_CASE("memory that can't be had is an error that names the call") {
    for (const std::uint64_t bytes : {std::uint64_t{1} << 50, UINT64_MAX / 2, UINT64_MAX}) {
        const auto memory = allocate_host(bytes);
        REQUIRE_FALSE(memory);
        CHECK(memory.error().code == ErrorCode::out_of_memory);
        CHECK_FALSE(memory.error().fix.empty());
    }
    for (const std::uint64_t bytes : {std::uint64_t{4}, std::uint64_t{1} << 20}) {
        const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
            if (call != "posix_memalign" && call != "mmap") return std::nullopt;
            return Error{ErrorCode::out_of_memory, "No.", "", {}};
        });
        const auto memory = allocate_host(bytes);
        REQUIRE_FALSE(memory);
        CHECK(memory.error().to_string().find("while calling ") != std::string::npos);
    }
}
