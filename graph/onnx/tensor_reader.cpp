#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/tensor_reader.hpp>

namespace muster::graph::onnx {
namespace {

namespace fs = std::filesystem;

/// ONNX's names of TensorProto.DataType, by number.
constexpr std::array<std::string_view, 29> type_names{
    "undefined",      "float",      "uint8",          "int8",       "uint16",     "int16",
    "int32",          "int64",      "string",         "bool",       "float16",    "double",
    "uint32",         "uint64",     "complex64",      "complex128", "bfloat16",   "float8e4m3fn",
    "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",       "float4e2m1",
    "float8e8m0",     "uint2",      "int2",           "float6e2m3", "float6e3m2",
};

/// A number of external data; empty text is `otherwise`.
Result<std::uint64_t> number(std::string_view what, std::string_view text, std::uint64_t otherwise) {
    if (text.empty()) return otherwise;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    return fail(ErrorCode::invalid_program,
                fmt::format("The {} of its external data is \"{}\", which isn't a number of 64 bits.", what,
                            printable(text)));
}

/// True if `path` lies in `folder`; both are canonical.
bool lies_in(const fs::path& path, const fs::path& folder) {
    return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// bool has bytes 0 and 1 alone here; other bytes than 0 are true.
SharedBytes zeros_and_ones(SharedBytes bytes) {
    const std::span<const std::byte> all(bytes.data.get(), bytes.count);
    if (std::ranges::all_of(all, [](std::byte byte) { return byte <= std::byte{1}; })) return bytes;
    auto owner = std::make_shared<std::vector<std::byte>>(all.begin(), all.end());
    for (std::byte& byte : *owner) byte = std::byte(byte != std::byte{0});
    return {{owner, owner->data()}, owner->size()};
}

}  // namespace

std::string type_name(std::int64_t type) {
    if (type >= 0 && static_cast<std::size_t>(type) < type_names.size())
        return std::string(type_names[static_cast<std::size_t>(type)]);
    return fmt::format("the unknown type {}", type);
}

FileTensor file_tensor(std::string name, const Tensor& tensor) {
    const auto owner = std::make_shared<const Tensor>(tensor);
    return {.name = std::move(name),
            .type = info(tensor.element()).onnx,
            .sizes = {tensor.sizes().begin(), tensor.sizes().end()},
            .bytes = {{owner, owner->bytes().data()}, owner->bytes().size()}};
}

Result<ElementType> element_type(std::int64_t onnx_type) {
    if (const auto type = element_type_by_onnx(onnx_type)) return *type;
    return fail(ErrorCode::unsupported,
                fmt::format("It has elements of {}, and tensors here have elements of {}.",
                            type_name(onnx_type), to_string(ElementTypeSet{(1u << element_type_count) - 1})),
                "convert the model to one of these types");
}

Result<Tensor> TensorReader::read(const FileTensor& tensor) {
    const ElementType element = TRY(element_type(tensor.type));
    (void)TRY(checked_element_count(tensor.sizes));
    if (!tensor.unreadable.empty()) return fail(ErrorCode::invalid_program, tensor.unreadable);
    SharedBytes bytes = tensor.external ? TRY(external(*tensor.external)) : tensor.bytes;
    if (element == ElementType::boolean) bytes = zeros_and_ones(std::move(bytes));
    auto made = Tensor::over(element, tensor.sizes, std::move(bytes));
    if (!made) return fail(ErrorCode::invalid_program, std::move(made.error().message));
    return made;
}

Result<SharedBytes> TensorReader::external(const ExternalData& data) {
    const std::shared_ptr<const platform::MappedFile> mapped = TRY(file(data.location));
    const std::uint64_t size = mapped->bytes().size();
    const std::uint64_t offset = TRY(number("offset", data.offset, 0));
    const std::uint64_t length = TRY(number("length", data.length, size - std::min(offset, size)));
    if (offset > size || length > size - offset) {
        return fail(ErrorCode::invalid_program,
                    fmt::format("Its external data are {} bytes from byte {} of {}, which has {} bytes.",
                                length, offset, printable(data.location), size),
                    "the file may be cut off: fetch it again");
    }
    return SharedBytes{{mapped, mapped->bytes().data() + offset}, static_cast<std::size_t>(length)};
}

Result<std::shared_ptr<const platform::MappedFile>> TensorReader::file(const std::string& location) {
    if (const auto found = files_.find(location); found != files_.end()) return found->second;
    const std::string shown = printable(location);
    if (folder_.empty()) {
        return fail(ErrorCode::not_found,
                    fmt::format("Its data are in {}, and no folder of external data is given.", shown),
                    "give the folder: ImportOptions::folder");
    }
    const fs::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute()) {
        return fail(
            ErrorCode::invalid_program,
            fmt::format(
                "The location of its external data is \"{}\", which isn't a path relative to the model's "
                "folder.",
                shown));
    }
    std::error_code error;
    const fs::path folder = fs::canonical(folder_, error);
    const fs::path path = error ? fs::path() : fs::canonical(folder / relative, error);
    if (error) {
        return fail(ErrorCode::not_found,
                    fmt::format("Its data are in {}, and there is no such file in \"{}\".", shown,
                                printable(folder_.string())),
                    "put the file beside the model");
    }
    if (!lies_in(path, folder)) {
        return fail(ErrorCode::refused,
                    fmt::format("Its data are in {}, which lies outside of the model's folder {}.", shown,
                                printable(folder.string())),
                    "put the file itself into that folder");
    }
    return files_[location] = TRY(map_file(path));
}

}  // namespace muster::graph::onnx
