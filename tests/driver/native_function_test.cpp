// Native functions that check themselves, their codes, and the errors that backends share.
#include <array>
#include <string>

#include <doctest/doctest.h>

#include <muster/driver/contract/native_function.hpp>
#include <muster/driver/contract/refusals.hpp>

using namespace muster;

namespace {

constexpr std::array codes{NativeCode{7, "GPU_BUSY", ErrorCode::unavailable, "wait"}};

std::optional<Error> translate(int code) {
    if (code == 0) return std::nullopt;
    return native_error("Gpu", codes, code, "code", "repair it");
}

int calls = 0;
int open_gpu(int which, int* opened) {
    ++calls;
    *opened = which;
    return which;
}

struct Table {
    NativeFunction<decltype(&open_gpu), translate> gpu_open{"gpu_open", open_gpu};
};

}  // namespace

TEST_CASE("a native function called as itself gives its code's error, and the error names it") {
    const Table table;
    int opened = -1;
    CHECK(table.gpu_open(0, &opened));
    CHECK(opened == 0);
    const auto busy = table.gpu_open(7, &opened);
    REQUIRE_FALSE(busy);
    CHECK(opened == 7);
    CHECK(busy.error().code == ErrorCode::unavailable);
    CHECK(busy.error().message == "Gpu says: GPU_BUSY.");
    CHECK(busy.error().fix == "wait");
    CHECK(busy.error().context == std::vector<std::string>{"calling gpu_open"});
    const auto unknown = table.gpu_open(8, &opened);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::internal);
    CHECK(unknown.error().message == "Gpu says: code 8.");
    CHECK(unknown.error().fix == "repair it");
}

TEST_CASE("a planted fault strikes it by name, and the function isn't called; by its pointer it is") {
    const Table table;
    const PlantedFaults faults([](std::string_view call) -> std::optional<Error> {
        if (call != "gpu_open") return std::nullopt;
        return Error{ErrorCode::device_lost, "Planted.", {}, {}};
    });
    calls = 0;
    int opened = -1;
    CHECK(table.gpu_open(0, &opened).error().message == "Planted.");
    CHECK(calls == 0);
    CHECK(table.gpu_open.pointer(0, &opened) == 0);
    CHECK(calls == 1);
}

TEST_CASE("a backend's refusals say what was asked for and what there is") {
    CHECK(no_such_device("Gpu", 2, 2).error().to_string() ==
          "There is no Gpu device 2 among the 2 that can be used.");
    CHECK(no_such_target("Gpu", "g3", "g1, g2").error().to_string() ==
          "The Gpu backend has no target \"g3\".\nFix: ask for one of: g1, g2");
    CHECK(no_such_target("Gpu", "g3", "g1").error().fix == "ask for \"g1\", its only one");
    CHECK(not_loadable("Gpu", "images", "ptx").error().message ==
          "The Gpu backend loads images, and this artifact is of format \"ptx\".");
    const Error large = too_large_buffer("G1", 12, 8).error();
    CHECK(large.code == ErrorCode::limit_exceeded);
    CHECK(large.message == "A buffer of 12 bytes is larger than the 8 that G1 allocates at once.");
}
