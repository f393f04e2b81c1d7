#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include <muster/cli/input/npy_convert.hpp>

using namespace muster;
using namespace muster::cli;

namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

StoredArray stored(NumberKind kind, std::uint32_t each, const std::vector<std::byte>& bytes) {
    return {kind, each, false, false, {bytes.size() / each}, bytes};
}

template <class T>
std::vector<T> numbers(const Result<Converted>& converted) {
    REQUIRE_MESSAGE(converted, converted.error().message);
    std::vector<T> values(converted->array.bytes.size() / sizeof(T));
    std::memcpy(values.data(), converted->array.bytes.data(), converted->array.bytes.size());
    return values;
}

std::string conversion_problem(const Result<Converted>& converted) {
    return converted ? "" : converted.error().message;
}

}  // namespace

TEST_CASE("doubles become the nearest floats, up to the largest") {
    constexpr double most = std::numeric_limits<float>::max();
    const auto bytes = bytes_of<double>({0.1, -0.0, 1e-50, most, std::nan(""), -HUGE_VAL});
    const StoredArray array = stored(NumberKind::floating, 8, bytes);
    const auto converted = convert(array, Scalar::f32, "x.npy");
    const auto floats = numbers<float>(converted);
    CHECK(floats[0] == 0.1f);
    CHECK(std::signbit(floats[1]));
    CHECK(floats[2] == 0.0f);
    CHECK(floats[3] == std::numeric_limits<float>::max());
    CHECK(std::isnan(floats[4]));
    CHECK(floats[5] == -INFINITY);
    CHECK(converted->note == "\"x.npy\": f64 is converted to f32, rounded to the nearest.");

    const auto large = bytes_of<double>({1, 1e39});
    CHECK(conversion_problem(convert(stored(NumberKind::floating, 8, large), Scalar::f32, "x.npy")) ==
          "\"x.npy\" holds 1e+39 at [1], which isn't an f32.");
}

TEST_CASE("doubles that are whole become integers, and the first that isn't is named") {
    const auto bytes = bytes_of<double>({-2147483648.0, 2147483647.0, -0.0});
    CHECK(numbers<std::int32_t>(convert(stored(NumberKind::floating, 8, bytes), Scalar::i32, "x")) ==
          std::vector<std::int32_t>{INT32_MIN, INT32_MAX, 0});
    CHECK(conversion_problem(convert(stored(NumberKind::floating, 8, bytes), Scalar::u32, "x")) ==
          "\"x\" holds -2147483648 at [0], which isn't a u32.");
    for (const double wrong : {0.5, 2147483648.0, -2147483649.0, double(NAN), double(INFINITY)}) {
        const auto one = bytes_of<double>({1, wrong});
        CHECK(conversion_problem(convert(stored(NumberKind::floating, 8, one), Scalar::i32, "x"))
                  .find(" at [1], which") != std::string::npos);
    }
}

TEST_CASE("integers of 64 bits are converted where the kernel's kind has them") {
    const auto bytes = bytes_of<std::int64_t>({-1, 16777216, -33554432});
    const StoredArray array = stored(NumberKind::signed_integer, 8, bytes);
    CHECK(numbers<std::int32_t>(convert(array, Scalar::i32, "x")) ==
          std::vector<std::int32_t>{-1, 16777216, -33554432});
    CHECK(numbers<float>(convert(array, Scalar::f32, "x")) == std::vector<float>{-1, 16777216, -33554432});
    CHECK(conversion_problem(convert(array, Scalar::u32, "x")) ==
          "\"x\" holds -1 at [0], which isn't a u32.");

    const auto odd = bytes_of<std::int64_t>({0, 16777217});  // needs 25 bits
    CHECK(conversion_problem(convert(stored(NumberKind::signed_integer, 8, odd), Scalar::f32, "x")) ==
          "\"x\" holds 16777217 at [1], which isn't an f32.");
    const auto most = bytes_of<std::int64_t>({INT64_MIN});
    CHECK(numbers<float>(convert(stored(NumberKind::signed_integer, 8, most), Scalar::f32, "x"))[0] ==
          -0x1p63f);
    CHECK(conversion_problem(convert(stored(NumberKind::signed_integer, 8, most), Scalar::i32, "x"))
              .find("-9223372036854775808") != std::string::npos);
    const auto unsigned_most = bytes_of<std::uint64_t>({4294967295u, UINT64_MAX});
    CHECK(conversion_problem(convert(stored(NumberKind::unsigned_integer, 8, unsigned_most), Scalar::u32,
                                     "x")) == "\"x\" holds 18446744073709551615 at [1], which isn't a u32.");
    CHECK(
        conversion_problem(convert(stored(NumberKind::unsigned_integer, 8, unsigned_most), Scalar::i32, "x"))
            .find("4294967295 at [0]") != std::string::npos);
}

TEST_CASE("bytes and booleans fit every kind") {
    const auto bytes = bytes_of<std::uint8_t>({0, 1, 255});
    CHECK(numbers<float>(convert(stored(NumberKind::unsigned_integer, 1, bytes), Scalar::f32, "x")) ==
          std::vector<float>{0, 1, 255});
    CHECK(numbers<std::int32_t>(convert(stored(NumberKind::signed_integer, 1, bytes), Scalar::i32, "x")) ==
          std::vector<std::int32_t>{0, 1, -1});
    CHECK(numbers<std::uint32_t>(convert(stored(NumberKind::boolean, 1, bytes), Scalar::u32, "x")) ==
          std::vector<std::uint32_t>{0, 1, 1});
}

TEST_CASE("small integers stay for kernels that have them, and others become them where they fit") {
    const auto bytes = bytes_of<std::uint8_t>({0, 1, 255});
    const auto kept = convert(stored(NumberKind::unsigned_integer, 1, bytes), Scalar::u8, "x.npy");
    CHECK(numbers<std::uint8_t>(kept) == std::vector<std::uint8_t>{0, 1, 255});
    CHECK(kept->note.empty());
    const auto wide = bytes_of<std::int64_t>({-32768, 32767});
    const auto narrowed = convert(stored(NumberKind::signed_integer, 8, wide), Scalar::i16, "x.npy");
    CHECK(numbers<std::int16_t>(narrowed) == std::vector<std::int16_t>{-32768, 32767});
    CHECK(narrowed->note == "\"x.npy\": i64 is converted to i16.");
    CHECK(conversion_problem(convert(stored(NumberKind::signed_integer, 8, wide), Scalar::u16, "x")) ==
          "\"x\" holds -32768 at [0], which isn't a u16.");
    CHECK(conversion_problem(convert(stored(NumberKind::unsigned_integer, 1, bytes), Scalar::i8, "x")) ==
          "\"x\" holds 255 at [2], which isn't an i8.");
    const auto doubles = bytes_of<double>({-128, 127, 128});
    CHECK(conversion_problem(convert(stored(NumberKind::floating, 8, doubles), Scalar::i8, "x")) ==
          "\"x\" holds 128 at [2], which isn't an i8.");
    const auto words = bytes_of<std::uint32_t>({1});
    const auto wrong = convert(stored(NumberKind::unsigned_integer, 4, words), Scalar::u8, "x");
    CHECK(conversion_problem(wrong) == "\"x\" holds u32 numbers, not u8.");
    CHECK(wrong.error().fix.find("numpy.uint8") != std::string::npos);
}

TEST_CASE("every half is the float that IEEE 754 says") {
    std::vector<std::uint16_t> halves;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) halves.push_back(static_cast<std::uint16_t>(bits));
    const auto bytes = bytes_of(halves);
    const auto floats = numbers<float>(convert(stored(NumberKind::floating, 2, bytes), Scalar::f32, "x"));
    CHECK(floats[0x3c00] == 1.0f);
    CHECK(floats[0x0001] == 0x1p-24f);
    CHECK(floats[0x03ff] == 0x3ffp-24f);
    CHECK(floats[0x0400] == 0x1p-14f);
    CHECK(floats[0x7bff] == 65504.0f);
    CHECK(floats[0xc000] == -2.0f);
    CHECK(std::signbit(floats[0x8000]));
    CHECK(floats[0xfc00] == -INFINITY);
    CHECK(std::isnan(floats[0x7c01]));
    for (std::size_t i = 1; i < 0x7c00; ++i) CHECK(floats[i] > floats[i - 1]);
}

TEST_CASE("halves stay halves for kernels that have them, and others become halves where they fit") {
    const auto bytes = bytes_of<std::uint16_t>({0x3c00, 0x7e01, 0xfc00});
    const auto kept = convert(stored(NumberKind::floating, 2, bytes), Scalar::f16, "x.npy");
    CHECK(numbers<std::uint16_t>(kept) == std::vector<std::uint16_t>{0x3c00, 0x7e01, 0xfc00});
    CHECK(kept->note.empty());
    const auto doubles = bytes_of<double>({0.1, 65519.9, -HUGE_VAL, 0x1p-25});
    const auto rounded = convert(stored(NumberKind::floating, 8, doubles), Scalar::f16, "x.npy");
    CHECK(numbers<std::uint16_t>(rounded) == std::vector<std::uint16_t>{0x2e66, 0x7bff, 0xfc00, 0});
    CHECK(rounded->note == "\"x.npy\": f64 is converted to f16, rounded to the nearest.");
    const auto large = bytes_of<double>({65520});
    CHECK(conversion_problem(convert(stored(NumberKind::floating, 8, large), Scalar::f16, "x")) ==
          "\"x\" holds 65520 at [0], which isn't an f16.");
    const auto whole = bytes_of<std::int16_t>({-2048, 4096, 2049});
    CHECK(conversion_problem(convert(stored(NumberKind::signed_integer, 2, whole), Scalar::f16, "x")) ==
          "\"x\" holds 2049 at [2], which isn't an f16.");
    const auto floats = bytes_of<float>({1});
    const auto wrong = convert(stored(NumberKind::floating, 4, floats), Scalar::f16, "x");
    CHECK(conversion_problem(wrong) == "\"x\" holds f32 numbers, not f16.");
    CHECK(wrong.error().fix.find("numpy.float16") != std::string::npos);
}

TEST_CASE("big-endian numbers are turned, columns become rows") {
    const auto big = bytes_of<std::uint32_t>({0x0000803fu, 0x000000c0u});
    StoredArray array = stored(NumberKind::floating, 4, big);
    array.is_big_endian = true;
    const auto turned = convert(array, Scalar::f32, "x");
    CHECK(numbers<float>(turned) == std::vector<float>{1.0f, -2.0f});
    CHECK(turned->note.find("byte order") != std::string::npos);

    const auto columns = bytes_of<std::uint32_t>({11, 21, 12, 22, 13, 23});
    StoredArray fortran = stored(NumberKind::unsigned_integer, 4, columns);
    fortran.is_columns_first = true;
    fortran.shape = {2, 3};
    const auto rows = convert(fortran, Scalar::u32, "x");
    CHECK(numbers<std::uint32_t>(rows) == std::vector<std::uint32_t>{11, 12, 13, 21, 22, 23});
    CHECK(rows->array.shape == std::vector<std::uint64_t>{2, 3});
    CHECK(rows->note.find("Fortran") != std::string::npos);

    const auto cube = bytes_of<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 7});
    StoredArray three = stored(NumberKind::unsigned_integer, 1, cube);
    three.is_columns_first = true;
    three.shape = {2, 2, 2};
    CHECK(numbers<std::uint32_t>(convert(three, Scalar::u32, "x")) ==
          std::vector<std::uint32_t>{0, 4, 2, 6, 1, 5, 3, 7});
    three.shape = {2, 2, 2};
    const auto odd = bytes_of<std::int64_t>({0, 0, 0, -1});
    StoredArray where = stored(NumberKind::signed_integer, 8, odd);
    where.shape = {2, 2};
    CHECK(conversion_problem(convert(where, Scalar::u32, "x")).find("-1 at [1, 1]") != std::string::npos);
}

TEST_CASE("numbers that kernels have must be of the kind that the kernel declares") {
    const auto zeros = bytes_of<float>({0, 0});
    const auto converted = convert(stored(NumberKind::floating, 4, zeros), Scalar::u32, "x.npy");
    CHECK(conversion_problem(converted) == "\"x.npy\" holds f32 numbers, not u32.");
    CHECK(converted.error().fix.find("numpy.uint32") != std::string::npos);
}
