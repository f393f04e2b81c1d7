#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/importer.hpp>

namespace muster::graph {

Result<Graph> import_onnx(const std::filesystem::path& path, const ImportOptions& options) {
    const auto importing = [&] { return fmt::format("importing {}", printable(path.string())); };
    const onnx::FileModel model = TRY(during(importing, onnx::read_model(path)));
    std::filesystem::path folder = options.folder.empty() ? path.parent_path() : options.folder;
    if (folder.empty()) folder = ".";
    return during(importing, onnx::Importer(model, options, std::move(folder)).import());
}

Result<Graph> import_onnx_bytes(std::span<const std::byte> bytes, const ImportOptions& options) {
    const onnx::FileModel model = TRY(onnx::read_model(bytes));
    return onnx::Importer(model, options, options.folder).import();
}

Result<std::vector<Value>> onnx_inputs(const std::filesystem::path& path) {
    const auto importing = [&] { return fmt::format("importing {}", printable(path.string())); };
    const onnx::FileModel model = TRY(during(importing, onnx::read_model(path)));
    return during(importing, onnx::Importer(model, {}, {}).inputs());
}

Result<std::pair<std::string, Tensor>> import_onnx_tensor(const std::filesystem::path& path) {
    const auto reading = [&] { return fmt::format("reading {}", printable(path.string())); };
    onnx::FileTensor file = TRY(during(reading, onnx::read_tensor(path)));
    Tensor tensor = TRY(during(reading, onnx::TensorReader(path.parent_path()).read(file)));
    return std::pair(std::move(file.name), std::move(tensor));
}

}  // namespace muster::graph
