// The door to protobuf for writing.
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx_pb.h>

#include <muster/driver/platform/file.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/model.hpp>
#include <muster/graph/onnx/wire.hpp>

namespace muster::graph::onnx {
namespace {

template <class List, class Field>
void fill(const List& from, Field* to) {
    to->Add(from.begin(), from.end());
}

void put(const FileTensor& from, ::onnx::TensorProto& to) {
    to.set_name(from.name);
    to.set_data_type(static_cast<std::int32_t>(from.type));
    fill(from.sizes, to.mutable_dims());
    to.set_raw_data(from.bytes.data.get(), from.bytes.count);
}

void put(const FileAttribute& from, ::onnx::AttributeProto& to) {
    using Proto = ::onnx::AttributeProto;
    to.set_name(from.name);
    if (const auto* integer = std::get_if<std::int64_t>(&from.value)) {
        to.set_type(Proto::INT);
        to.set_i(*integer);
    } else if (const auto* number = std::get_if<float>(&from.value)) {
        to.set_type(Proto::FLOAT);
        to.set_f(*number);
    } else if (const auto* text = std::get_if<std::string>(&from.value)) {
        to.set_type(Proto::STRING);
        to.set_s(*text);
    } else if (const auto* tensor = std::get_if<FileTensor>(&from.value)) {
        to.set_type(Proto::TENSOR);
        put(*tensor, *to.mutable_t());
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&from.value)) {
        to.set_type(Proto::INTS);
        fill(*integers, to.mutable_ints());
    } else if (const auto* numbers = std::get_if<std::vector<float>>(&from.value)) {
        to.set_type(Proto::FLOATS);
        fill(*numbers, to.mutable_floats());
    } else if (const auto* texts = std::get_if<std::vector<std::string>>(&from.value)) {
        to.set_type(Proto::STRINGS);
        fill(*texts, to.mutable_strings());
    }
}

void put(const FileNode& from, ::onnx::NodeProto& to) {
    to.set_name(from.name);
    to.set_op_type(from.op);
    if (!from.domain.empty()) to.set_domain(from.domain);
    fill(from.inputs, to.mutable_input());
    fill(from.outputs, to.mutable_output());
    for (const FileAttribute& attribute : from.attributes) put(attribute, *to.add_attribute());
}

void put(const FileValue& from, ::onnx::ValueInfoProto& to) {
    to.set_name(from.name);
    auto& type = *to.mutable_type()->mutable_tensor_type();
    type.set_elem_type(static_cast<std::int32_t>(from.type));
    if (!from.shape) return;
    auto& shape = *type.mutable_shape();
    for (const FileDimension& size : *from.shape) {
        auto& dim = *shape.add_dim();
        if (size.number)
            dim.set_dim_value(*size.number);
        else if (!size.name.empty())
            dim.set_dim_param(size.name);
    }
}

void put(const FileGraph& from, ::onnx::GraphProto& to) {
    to.set_name(from.name);
    for (const FileNode& node : from.nodes) put(node, *to.add_node());
    for (const FileTensor& tensor : from.initializers) put(tensor, *to.add_initializer());
    for (const FileValue& value : from.inputs) put(value, *to.add_input());
    for (const FileValue& value : from.outputs) put(value, *to.add_output());
}

/// The model as a message. Functions aren't written: graphs here have none. Errors: limit_exceeded.
Result<void> put(const FileModel& from, ::onnx::ModelProto& to) {
    to.set_ir_version(from.ir_version);
    to.set_producer_name(from.producer);
    for (const FileOpset& opset : from.opsets) {
        auto& import = *to.add_opset_import();
        import.set_domain(opset.domain);
        import.set_version(opset.version);
    }
    std::size_t weights = 0;  // protobuf counts in 32 bits
    for (const FileTensor& tensor : from.graph->initializers) weights += tensor.bytes.count;
    if (weights <= max_message_bytes) put(*from.graph, *to.mutable_graph());
    const std::size_t size = weights <= max_message_bytes ? to.ByteSizeLong() : weights;
    if (size <= max_message_bytes) return {};
    return fail(ErrorCode::limit_exceeded,
                fmt::format("The model takes {} bytes, and the format allows {}.", size, max_message_bytes));
}

Result<void> write_file(const ::onnx::ModelProto& message, const std::filesystem::path& path) {
    const auto failed = [&](int error) {
        return fail(ErrorCode::io_failed,
                    fmt::format("The file {} can't be written: {}.", printable(path.string()),
                                std::generic_category().message(error)));
    };
    platform::FileDescriptor file = platform::open_for_writing(path);
    if (file.number() < 0) return failed(errno);
    google::protobuf::io::FileOutputStream stream(file.release(), 1 << 16);
    const bool written = message.SerializeToZeroCopyStream(&stream) && stream.Flush();
    const bool closed = stream.Close();
    if (written && closed) return {};
    return failed(stream.GetErrno());
}

}  // namespace

Result<std::vector<std::byte>> model_bytes(const FileModel& model) {
    google::protobuf::Arena arena;
    auto& message = *google::protobuf::Arena::CreateMessage<::onnx::ModelProto>(&arena);
    TRY(put(model, message));
    std::vector<std::byte> bytes(message.ByteSizeLong());
    message.SerializeToArray(bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
}

Result<void> write_model(const FileModel& model, const std::filesystem::path& path) {
    google::protobuf::Arena arena;
    auto& message = *google::protobuf::Arena::CreateMessage<::onnx::ModelProto>(&arena);
    TRY(put(model, message));
    // Beside the file, so that a fault leaves the old one.
    std::filesystem::path written = path;
    written += ".part";
    auto result = write_file(message, written);
    std::error_code error;
    if (result) std::filesystem::rename(written, path, error);
    if (result && error) {
        result = fail(ErrorCode::io_failed, fmt::format("The file {} can't be replaced: {}.",
                                                        printable(path.string()), error.message()));
    }
    if (!result) std::filesystem::remove(written, error);
    return result;
}

}  // namespace muster::graph::onnx
