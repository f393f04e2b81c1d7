// Weights in files of their own.
#include <filesystem>
#include <fstream>

#include "model_of.hpp"

using namespace muster;
using namespace muster::graph;

namespace {

namespace fs = std::filesystem;

/// A folder with a model whose constant lies in a file, and what is around it.
class Files {
  public:
    Files() : folder_(fs::temp_directory_path() / "muster_onnx_external") {
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "model" / "sub");
        write("model/weights.bin", std::string_view("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12));  // 1, 2, 3
        write("outside.bin", std::string_view("\0\0\x80\x3f\0\0\0\x40", 8));
    }
    ~Files() { fs::remove_all(folder_); }
    fs::path path(const std::string& name) const { return folder_ / name; }
    void write(const std::string& name, std::string_view bytes) const {
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
    }
    /// Imports the model, whose constant of f32[2] is described so.
    Result<Graph> import(std::string_view location, std::string_view more = "") const {
        const auto bytes = bytes_of(model(
            13, input("x", 1, {"2"}) +
                    fmt::format("initializer {{ name: \"w\" data_type: 1 dims: 2 data_location: EXTERNAL "
                                "external_data {{ key: "
                                "\"location\" value: \"{}\" }} {} }} ",
                                location, more) +
                    "node { op_type: \"Add\" input: \"x\" input: \"w\" output: \"y\" } " + output("y")));
        write("model/m.onnx", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        return import_onnx(folder_ / "model" / "m.onnx");
    }
    std::string error(std::string_view location, std::string_view more = "") const {
        const auto graph = import(location, more);
        REQUIRE(!graph);
        return graph.error().to_string();
    }

  private:
    fs::path folder_;
};

std::string entry(std::string_view key, std::string_view value) {
    return fmt::format("external_data {{ key: \"{}\" value: \"{}\" }} ", key, value);
}

}  // namespace

TEST_CASE("onnx: external data is found beside the model") {
    const Files files;
    const auto values = [&](std::string_view location, std::string_view more) {
        auto graph = files.import(location, more);
        if (!graph) FAIL(graph.error().to_string());
        return statements(*graph);
    };
    CHECK(has(values("weights.bin", entry("length", "8")), "constant w: f32[2] = [1, 2]"));
    CHECK(has(values("weights.bin", entry("offset", "4")), "constant w: f32[2] = [2, 3]"));
    CHECK(has(values("./sub/../weights.bin", entry("offset", "4") + entry("length", "8")),
              "constant w: f32[2] = [2, 3]"));
    fs::create_symlink("weights.bin", files.path("model/link.bin"));
    CHECK(has(values("link.bin", entry("offset", "4")), "constant w: f32[2] = [2, 3]"));
}

TEST_CASE("onnx: the graph outlives the files' names") {
    const Files files;
    auto graph = files.import("weights.bin", entry("offset", "4"));
    REQUIRE(graph);
    fs::remove(files.path("model/weights.bin"));
    CHECK(has(statements(*graph), "constant w: f32[2] = [2, 3]"));
}

TEST_CASE("onnx: external data stays within its file") {
    const Files files;
    const std::string lies = "of weights.bin, which has 12 bytes.";
    CHECK(has(files.error("weights.bin", entry("offset", "8") + entry("length", "8")),
              "Its external data are 8 bytes from byte 8 " + lies +
                  "\n  while reading the constant \"w\"\n  while importing "));
    CHECK(has(files.error("weights.bin", entry("offset", "13")),
              "Its external data are 0 bytes from byte 13 " + lies));
    CHECK(has(files.error("weights.bin", entry("offset", "18446744073709551615") + entry("length", "8")),
              lies));
    CHECK(has(files.error("weights.bin", entry("offset", "4") + entry("length", "18446744073709551612")),
              lies));
    CHECK(has(files.error("weights.bin", entry("offset", "18446744073709551616")),
              "which isn't a number of 64 bits"));
    CHECK(
        has(files.error("weights.bin", entry("offset", "-4")), "The offset of its external data is \"-4\""));
    CHECK(has(files.error("weights.bin"), "A tensor f32[2] takes 8 bytes, and its data has 12."));
}

TEST_CASE("onnx: external data stays within the model's folder") {
    const Files files;
    CHECK(has(files.error("../outside.bin"),
              "Its data are in ../outside.bin, which lies outside of the model's folder"));
    CHECK(has(files.error(files.path("model/weights.bin").string()),
              "which isn't a path relative to the model's folder."));
    CHECK(has(files.error(""), "The location of its external data is \"\""));
    CHECK(has(files.error("weights.bin\\000.txt"), "which isn't a path relative"));
    fs::create_symlink("../outside.bin", files.path("model/link.bin"));
    CHECK(has(files.error("link.bin"), "which lies outside of the model's folder"));
    fs::create_directory_symlink("..", files.path("model/up"));
    CHECK(has(files.error("up/outside.bin"), "which lies outside of the model's folder"));
    CHECK(has(files.error("missing.bin"), "Its data are in missing.bin, and there is no such file in "));
    CHECK(has(files.error("sub"), "isn't a regular file."));
}

TEST_CASE("onnx: bytes have no folder unless one is given") {
    const Files files;
    REQUIRE(files.import("weights.bin", entry("length", "8")));
    std::ifstream file(files.path("model/m.onnx"), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto bytes = std::as_bytes(std::span(text));
    const auto refused = import_onnx_bytes(bytes);
    REQUIRE(!refused);
    CHECK(has(refused.error().to_string(),
              "Its data are in weights.bin, and no folder of external data is given."));
    CHECK(import_onnx_bytes(bytes, {.folder = files.path("model")}).has_value());
}

TEST_CASE("onnx: files that aren't there or can't be read") {
    const Files files;
    const auto error = [](const fs::path& path) {
        const auto graph = import_onnx(path);
        REQUIRE(!graph);
        return graph.error().to_string();
    };
    CHECK(has(error("no/such.onnx"), "There is no file no/such.onnx.\n  while importing no/such.onnx"));
    CHECK(has(error(files.path("model")), "isn't a regular file."));
    files.write("empty.onnx", "");
    CHECK(has(error(files.path("empty.onnx")), "It has no graph."));
}

TEST_CASE("onnx: tensors in files of their own") {
    const Files files;
    const auto bytes = *try_onnx_tensor_bytes("name: \"t\" data_type: 7 dims: 2 int64_data: 3 int64_data: 4");
    files.write("t.pb", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const auto tensor = import_onnx_tensor(files.path("t.pb"));
    REQUIRE(tensor);
    CHECK(tensor->first == "t");
    CHECK(tensor->second == Tensor::of<std::int64_t>({2}, {3, 4}));
    files.write("t.pb", "nonsense");
    CHECK(
        has(import_onnx_tensor(files.path("t.pb")).error().to_string(), "It isn't an ONNX model: at byte 0"));
}
