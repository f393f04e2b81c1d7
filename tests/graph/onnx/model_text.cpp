#include "model_text.hpp"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

namespace muster::graph {
namespace {

/// Errors are the result's; protobuf would print them.
class Silent final : public google::protobuf::io::ErrorCollector {
    void AddError(int, int, const std::string&) override {}
};

template <class Message>
std::optional<std::vector<std::byte>> bytes_of(std::string_view text) {
    Message message;
    Silent silent;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&silent);
    if (!parser.ParseFromString(std::string(text), &message)) return std::nullopt;
    std::vector<std::byte> bytes(message.ByteSizeLong());
    message.SerializeToArray(bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
}

}  // namespace

std::optional<std::vector<std::byte>> try_onnx_bytes(std::string_view text) {
    return bytes_of<::onnx::ModelProto>(text);
}

std::optional<std::vector<std::byte>> try_onnx_tensor_bytes(std::string_view text) {
    return bytes_of<::onnx::TensorProto>(text);
}

std::string onnx_text(const std::vector<std::byte>& bytes) {
    ::onnx::ModelProto message;
    std::string text;
    message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    google::protobuf::TextFormat::PrintToString(message, &text);
    return text;
}

}  // namespace muster::graph
