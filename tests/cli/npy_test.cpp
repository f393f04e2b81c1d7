#include <cstring>
#include <string>

#include <doctest/doctest.h>

#include <muster/cli/input/npy.hpp>
#include <muster/cli/input/npy_convert.hpp>

using namespace muster;
using namespace muster::cli;

namespace {

std::vector<std::byte> file(std::string_view header, std::size_t element_bytes, char version = 1) {
    std::string text = "\x93NUMPY";
    text += version;
    text += '\0';
    text += static_cast<char>(header.size());
    text += static_cast<char>(header.size() >> 8);
    if (version > 1) text += std::string(2, '\0');
    text += header;
    text += std::string(element_bytes, '\x01');
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

std::string problem_of(const std::vector<std::byte>& bytes) {
    const auto array = parse_npy(bytes, "x.npy");
    return array ? "" : array.error().message;
}

}  // namespace

TEST_CASE("a .npy that was written reads back the same") {
    for (const auto& shape : std::vector<std::vector<std::uint64_t>>{{}, {6}, {2, 3}, {1, 2, 3}, {0}}) {
        Array array{Scalar::i32, shape, std::vector<std::byte>(*count_of(shape) * 4, std::byte{7})};
        const auto bytes = format_npy(array);
        CHECK((bytes.size() - array.bytes.size()) % 64 == 0);
        const auto stored = parse_npy(bytes, "x.npy");
        REQUIRE(stored);
        const auto again = convert(*stored, Scalar::i32, "x.npy");
        REQUIRE(again);
        CHECK(again->note.empty());
        CHECK(again->array.scalar == Scalar::i32);
        CHECK(again->array.shape == shape);
        CHECK(again->array.bytes == array.bytes);
    }
}

TEST_CASE("headers as NumPy writes them are read, versions 1 and 2") {
    const auto first = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24);
    const auto one = parse_npy(first, "x.npy");
    REQUIRE(one);
    CHECK(one->type_name() == "f32");
    CHECK(one->shape == std::vector<std::uint64_t>{2, 3});
    const auto second = file("{'descr': '<u4', 'fortran_order': False, 'shape': (5,), }\n", 20, 2);
    const auto two = parse_npy(second, "x.npy");
    REQUIRE(two);
    CHECK(two->type_name() == "u32");
    CHECK(two->shape == std::vector<std::uint64_t>{5});
    // One axis has no order.
    const auto third = file("{'descr': '<u4', 'fortran_order': True, 'shape': (5,), }\n", 20);
    CHECK_FALSE(parse_npy(third, "x.npy")->is_columns_first);
}

TEST_CASE("what isn't a usable .npy is refused with the reason") {
    CHECK(problem_of({}).find("doesn't start with NumPy's magic") != std::string::npos);
    for (const char* type : {"<c8", "<f16", "<M8[ns]", "|S4", "<U2", "|O", "<f1", "<b4", "x"}) {
        const std::string header =
            "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (2,), }";
        CHECK(problem_of(file(header, 16)).find("of type '" + std::string(type) + "'") != std::string::npos);
    }
    CHECK(problem_of(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 8))
              .find("[('a'") != std::string::npos);
    const auto structured =
        file("{'descr': [('a', '<f4'), ('b', [('c', '<i2')])], 'fortran_order': False, 'shape': (2,), }", 12);
    CHECK(parse_npy(structured, "x.npy").error().fix.find("save one field") == 0);
    CHECK(problem_of(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 20))
              .find("20 bytes") != std::string::npos);
    CHECK(problem_of(file("{'descr': '<f4', 'shape': (2, 3), }", 24)).find("can't be understood") !=
          std::string::npos);
    CHECK(problem_of(file("garbage", 24)).find("can't be understood") != std::string::npos);
    CHECK(problem_of(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24, 9))
              .find("version 9") != std::string::npos);
    auto cut = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 0);
    cut.resize(30);
    CHECK(problem_of(cut).find("ends inside its .npy header") != std::string::npos);
    // A shape whose product overflows 64 bits is refused.
    CHECK(problem_of(file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 8))
              .find("more than fit 64 bits") != std::string::npos);
    CHECK(problem_of(file("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }", 0))
              .find("shape") != std::string::npos);
}

TEST_CASE("every prefix of a .npy is an error, never a crash") {
    const auto whole = file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK_FALSE(parse_npy(std::span(whole).first(length), "x.npy"));
    }
}
