#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include <muster/driver/platform/driver_library.hpp>

using namespace muster;

namespace {

struct Table {
    double (*cos)(double) = nullptr;
    double (*none_such)(double) = nullptr;
    double (*neither)(double) = nullptr;
};

}  // namespace

TEST_CASE("functions are found by name, and the first that is missing is named") {
    const auto library = DriverLibrary::open("libm.so.6");
    if (!library) FAIL(library.error().to_string());
    Table table;
    CHECK(library->fill([&](const auto& visit) { visit("cos", table.cos); }) == nullptr);
    REQUIRE((table.cos != nullptr));
    CHECK(table.cos(0.0) == 1.0);
    const char* const missing = library->fill([&](const auto& visit) {
        visit("muster_none_such", table.none_such);
        visit("cos", table.cos);
        visit("muster_neither", table.neither);
    });
    REQUIRE(missing != nullptr);
    CHECK(std::string(missing) == "muster_none_such");
    CHECK((table.none_such == nullptr));
    CHECK((table.cos != nullptr));
}

TEST_CASE("a library that isn't there differs from one that can't be opened") {
    const auto none = DriverLibrary::open("libmuster_none_such.so.1");
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    CHECK(none.error().message.find("libmuster_none_such.so.1") != std::string::npos);

    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("muster_no_library_" + std::to_string(getpid()));
    std::ofstream(file) << "text";
    const auto broken = DriverLibrary::open(file.c_str());
    std::filesystem::remove(file);
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code == ErrorCode::unavailable);
    CHECK(broken.error().message.find(file.string()) != std::string::npos);
}
