// Archives of arrays, as numpy.savez and savez_compressed write them, and damaged archives.
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <minizip/zip.h>

#include <muster/cli/input/npz.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/support/file.hpp>

#include "run_tool.hpp"

using namespace muster::cli;
using muster::test::content_of;
using muster::test::scratch;
using muster::test::scratch_file;
using muster::test::tool;

namespace {

/// The bytes that numpy.save writes for these numbers.
template <class T>
std::string npy(const std::string& descr, const std::vector<T>& values) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                         std::to_string(values.size()) + ",), }";
    header.append(117 - header.size(), ' ');
    std::string data(values.size() * sizeof(T), '\0');
    std::memcpy(data.data(), values.data(), data.size());
    return std::string("\x93NUMPY\x01\0v\0", 10) + header + "\n" + data;
}

/// An archive of two arrays, the first stored, the second deflated.
std::string make_archive(const std::string& path) {
    const std::string first = npy<double>("<f8", {0, 1, 2, 3}),
                      second = npy("<f4", std::vector<float>(100000, 5.0f));
    const zipFile archive = zipOpen(path.c_str(), APPEND_STATUS_CREATE);
    REQUIRE(archive != nullptr);
    const auto add = [&](const char* name, const std::string& text, int method) {
        REQUIRE(zipOpenNewFileInZip(archive, name, nullptr, nullptr, 0, nullptr, 0, nullptr, method,
                                    Z_DEFAULT_COMPRESSION) == ZIP_OK);
        CHECK(zipWriteInFileInZip(archive, text.data(), static_cast<unsigned>(text.size())) == ZIP_OK);
        CHECK(zipCloseFileInZip(archive) == ZIP_OK);
    };
    add("x.npy", first, 0);  // stored
    add("many.npy", second, Z_DEFLATED);
    REQUIRE(zipClose(archive, nullptr) == ZIP_OK);
    return path;
}

}  // namespace

TEST_CASE("FILE.npz:NAME is the array of that name") {
    const std::string path = make_archive(scratch("arrays.npz"));
    const std::string run = "run examples/saxpy/saxpy.wgsl --bind a=2 --bind y=like:x --quiet --out y=- ";
    const auto stored = tool(run + "--bind x=" + path + ":x");
    CHECK_MESSAGE(stored.exit == 0, stored.err);
    CHECK(stored.out == "0\n2\n4\n6\n");
    CHECK(stored.err.find("arrays.npz:x\": f64 is converted to f32") != std::string::npos);
    const auto deflated = tool(run + "--bind x=" + path + ":many");
    CHECK(deflated.out.starts_with("10\n10\n10\n"));
    CHECK(deflated.out.size() == 300000);

    const auto wrong = read_npz(path, "y");
    CHECK(wrong.error().message == "\"" + path + "\" holds no array \"y\".");
    CHECK(wrong.error().fix == "it holds x, many");
    CHECK(read_npz(path, "").error().fix == "it holds x, many");
    CHECK(tool(run + "--bind x=" + path).exit == 2);

    // A damaged archive gives the array that was written, or an error.
    const std::string whole = content_of(path);
    for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 50) {
        const auto cut = read_npz(scratch_file("cut.npz", whole.substr(0, length)), "x");
        REQUIRE_FALSE(cut);
        CHECK(cut.error().message.find("cut.npz\"") != std::string::npos);
    }
    std::size_t refused = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        const std::string file = scratch_file("damaged.npz", damaged);
        for (const char* name : {"x", "many"}) {
            const auto read = read_npz(file, name);
            CHECK((!read || *read == *read_npz(path, name)));
            refused += read ? 0 : 1;
        }
    }
    CHECK(refused > whole.size() / 3);
}

TEST_CASE("an encrypted array is refused") {
    std::string bytes = content_of(make_archive(scratch("arrays.npz")));
    const std::size_t entry = bytes.find("PK\1\2");  // in the central directory; its flags are at byte 8
    REQUIRE(entry != bytes.npos);
    bytes[entry + 8] |= 1;
    const auto refused = read_npz(scratch_file("encrypted.npz", bytes), "x");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.ends_with("encrypted.npz\" is encrypted."));
}

TEST_CASE("what is no .npz, or isn't there, is told") {
    CHECK(read_npz("/nowhere/x.npz", "x").error().code == muster::ErrorCode::not_found);
    CHECK(read_npz(scratch_file("text.npz", "nonsense"), "x")
              .error()
              .message.find("can't be read as .npz: it isn't a zip archive") != std::string::npos);
    CHECK_FALSE(read_npz("/", "x"));
}

TEST_CASE("a colon behind .npz begins the array's name") {
    const auto both = parse_spec("a.b/X.NPZ:layer.0:w");
    REQUIRE(both);
    CHECK(both->kind == Spec::Kind::npz);
    CHECK(both->text == "a.b/X.NPZ");
    CHECK(both->type == "layer.0:w");
    CHECK(parse_spec("a.npz")->kind == Spec::Kind::npz);
    CHECK(parse_spec("a.npz.npy")->kind == Spec::Kind::npy);
    CHECK(parse_spec("a.npz/b.npz:c")->text == "a.npz/b.npz");
}
