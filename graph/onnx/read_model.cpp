// The door to protobuf for reading.
#include <cerrno>
#include <limits>
#include <system_error>
#include <unordered_map>

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/ir/element_type.hpp>
#include <muster/graph/onnx/mapped_file.hpp>
#include <muster/graph/onnx/model.hpp>
#include <muster/graph/onnx/wire.hpp>

namespace muster::graph::onnx {
namespace {

FileGraph graph_of(::onnx::GraphProto& from);

/// A text field that libonnx 1.12 doesn't know yet, and newer ones do.
std::string newer_text(const google::protobuf::Message& message, int number) {
    const auto& reflection = *message.GetReflection();
    if (const auto* known = message.GetDescriptor()->FindFieldByNumber(number)) {
        return reflection.GetString(message, known);
    }
    std::string text;
    const auto& fields = reflection.GetUnknownFields(message);
    for (int i = 0; i < fields.field_count(); ++i) {
        const auto& field = fields.field(i);
        if (field.number() == number &&
            field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
            text = field.length_delimited();
        }
    }
    return text;
}

/// The same of a list of messages.
template <class Message>
std::vector<Message> newer_messages(const google::protobuf::Message& message, int number) {
    std::vector<Message> list;
    const auto& reflection = *message.GetReflection();
    if (const auto* known = message.GetDescriptor()->FindFieldByNumber(number)) {
        for (int i = 0; i < reflection.FieldSize(message, known); ++i) {
            list.emplace_back().CopyFrom(reflection.GetRepeatedMessage(message, known, i));
        }
        return list;
    }
    const auto& fields = reflection.GetUnknownFields(message);
    for (int i = 0; i < fields.field_count(); ++i) {
        const auto& field = fields.field(i);
        Message item;
        if (field.number() == number &&
            field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
            item.ParseFromString(field.length_delimited())) {
            list.push_back(std::move(item));
        }
    }
    return list;
}

template <class T>
std::vector<T> list_of(const google::protobuf::RepeatedField<T>& from) {
    return {from.begin(), from.end()};
}
std::vector<std::string> texts_of(google::protobuf::RepeatedPtrField<std::string>& from) {
    return {std::make_move_iterator(from.begin()), std::make_move_iterator(from.end())};
}

/// The bytes of what is moved to an owner of their own.
template <class Owner>
SharedBytes bytes_of_owner(Owner owner) {
    const auto kept = std::make_shared<const Owner>(std::move(owner));
    return {{kept, reinterpret_cast<const std::byte*>(kept->data())},
            static_cast<std::size_t>(kept->size()) * sizeof(*kept->data())};
}

template <class To>
void narrow(const google::protobuf::RepeatedField<std::int32_t>& from, FileTensor& tensor) {
    std::vector<To> values;
    values.reserve(static_cast<std::size_t>(from.size()));
    for (const std::int32_t value : from) {
        if (value < std::numeric_limits<To>::min() || value > std::numeric_limits<To>::max()) {
            tensor.unreadable = fmt::format("Its int32_data has {} as element {}, which {} can't hold.",
                                            value, values.size(), type_name(tensor.type));
            return;
        }
        values.push_back(static_cast<To>(value));
    }
    tensor.bytes = bytes_of_owner(std::move(values));
}

/// Takes the values out of the field that the element type uses, where there are no raw bytes.
void take_typed_data(::onnx::TensorProto& from, FileTensor& tensor) {
    const auto take = [&](auto& field) {
        std::remove_reference_t<decltype(field)> taken;
        taken.Swap(&field);
        tensor.bytes = bytes_of_owner(std::move(taken));
    };
    switch (from.data_type()) {
        case ::onnx::TensorProto::FLOAT: return take(*from.mutable_float_data());
        case ::onnx::TensorProto::INT32: return take(*from.mutable_int32_data());
        case ::onnx::TensorProto::INT64: return take(*from.mutable_int64_data());
        case ::onnx::TensorProto::FLOAT16:
            return narrow<std::uint16_t>(from.int32_data(), tensor);  // the bits
        case ::onnx::TensorProto::INT8: return narrow<std::int8_t>(from.int32_data(), tensor);
        case ::onnx::TensorProto::UINT8:
        case ::onnx::TensorProto::BOOL: return narrow<std::uint8_t>(from.int32_data(), tensor);
        default: return;
    }
}

FileTensor tensor_of(::onnx::TensorProto& from) {
    FileTensor tensor{
        .name = std::move(*from.mutable_name()), .type = from.data_type(), .sizes = list_of(from.dims())};
    if (from.has_segment()) tensor.unreadable = "It is stored in segments, which isn't supported.";
    if (from.data_location() == ::onnx::TensorProto::EXTERNAL) {
        ExternalData external;
        for (auto& entry : *from.mutable_external_data()) {
            if (entry.key() == "location") external.location = std::move(*entry.mutable_value());
            if (entry.key() == "offset") external.offset = std::move(*entry.mutable_value());
            if (entry.key() == "length") external.length = std::move(*entry.mutable_value());
        }
        tensor.external = std::make_shared<const ExternalData>(std::move(external));
    } else if (from.has_raw_data()) {
        tensor.bytes = bytes_of_owner(std::move(*from.mutable_raw_data()));
    } else {
        take_typed_data(from, tensor);
    }
    return tensor;
}

/// The type, which files before IR version 2 don't say.
int type_of(const ::onnx::AttributeProto& from) {
    using Proto = ::onnx::AttributeProto;
    if (from.type() != Proto::UNDEFINED) return from.type();
    if (from.has_f()) return Proto::FLOAT;
    if (from.has_i()) return Proto::INT;
    if (from.has_s()) return Proto::STRING;
    if (from.has_t()) return Proto::TENSOR;
    if (from.has_g()) return Proto::GRAPH;
    if (from.floats_size() > 0) return Proto::FLOATS;
    if (from.strings_size() > 0) return Proto::STRINGS;
    return Proto::INTS;
}

FileAttribute attribute_of(::onnx::AttributeProto& from) {
    using Proto = ::onnx::AttributeProto;
    FileAttribute to{std::move(*from.mutable_name()), std::move(*from.mutable_ref_attr_name()), {}};
    switch (type_of(from)) {
        case Proto::INT: to.value = std::int64_t{from.i()}; break;
        case Proto::FLOAT: to.value = from.f(); break;
        case Proto::STRING: to.value = std::move(*from.mutable_s()); break;
        case Proto::TENSOR: to.value = tensor_of(*from.mutable_t()); break;
        case Proto::GRAPH: to.value = std::make_shared<const FileGraph>(graph_of(*from.mutable_g())); break;
        case Proto::INTS: to.value = std::vector<std::int64_t>(from.ints().begin(), from.ints().end()); break;
        case Proto::FLOATS: to.value = list_of(from.floats()); break;
        case Proto::STRINGS: to.value = texts_of(*from.mutable_strings()); break;
        case Proto::TENSORS: to.value = OtherKind{"a list of tensors"}; break;
        case Proto::GRAPHS: to.value = OtherKind{"a list of graphs"}; break;
        case Proto::SPARSE_TENSOR:
        case Proto::SPARSE_TENSORS: to.value = OtherKind{"a sparse tensor"}; break;
        default: to.value = OtherKind{"a type"}; break;
    }
    return to;
}

FileNode node_of(::onnx::NodeProto& from) {
    FileNode node{std::move(*from.mutable_name()),
                  std::move(*from.mutable_op_type()),
                  std::move(*from.mutable_domain()),
                  newer_text(from, 8),
                  texts_of(*from.mutable_input()),
                  texts_of(*from.mutable_output()),
                  {}};
    node.attributes.reserve(static_cast<std::size_t>(from.attribute_size()));
    for (auto& attribute : *from.mutable_attribute()) node.attributes.push_back(attribute_of(attribute));
    return node;
}

std::vector<FileNode> nodes_of(google::protobuf::RepeatedPtrField<::onnx::NodeProto>& from) {
    std::vector<FileNode> nodes;
    nodes.reserve(static_cast<std::size_t>(from.size()));
    for (auto& node : from) nodes.push_back(node_of(node));
    return nodes;
}

std::string_view other_kind(const ::onnx::TypeProto& type) {
    using Proto = ::onnx::TypeProto;
    switch (type.value_case()) {
        case Proto::kTensorType: return {};
        case Proto::kSequenceType: return "a sequence";
        case Proto::kMapType: return "a map";
        case Proto::kOptionalType: return "an optional value";
        case Proto::kSparseTensorType: return "a sparse tensor";
        case Proto::kOpaqueType: return "an opaque value";
        case Proto::VALUE_NOT_SET: break;
    }
    return "a value without a type";
}

FileValue value_of(::onnx::ValueInfoProto& from) {
    FileValue value{.name = std::move(*from.mutable_name()), .other_kind = other_kind(from.type())};
    if (!value.other_kind.empty()) return value;
    const auto& type = from.type().tensor_type();
    value.type = type.elem_type();
    if (!type.has_shape()) return value;
    value.shape.emplace();
    for (const auto& dim : type.shape().dim()) {
        value.shape->push_back(
            {dim.has_dim_value() ? std::optional<std::int64_t>(dim.dim_value()) : std::nullopt,
             dim.dim_param()});
    }
    return value;
}

FileGraph graph_of(::onnx::GraphProto& from) {
    FileGraph graph{.name = std::move(*from.mutable_name()), .nodes = nodes_of(*from.mutable_node())};
    for (auto& tensor : *from.mutable_initializer()) graph.initializers.push_back(tensor_of(tensor));
    for (const auto& sparse : from.sparse_initializer())
        graph.sparse_initializers.push_back(sparse.values().name());
    for (auto& value : *from.mutable_input()) graph.inputs.push_back(value_of(value));
    for (auto& value : *from.mutable_output()) graph.outputs.push_back(value_of(value));
    return graph;
}

std::vector<FileOpset> opsets_of(const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>& from) {
    std::vector<FileOpset> opsets;
    for (const auto& opset : from) opsets.push_back({opset.domain(), opset.version()});
    return opsets;
}

FileFunction function_of(::onnx::FunctionProto& from) {
    FileFunction function{.name = from.name(),
                          .domain = from.domain(),
                          .overload = newer_text(from, 13),
                          .inputs = texts_of(*from.mutable_input()),
                          .outputs = texts_of(*from.mutable_output()),
                          .nodes = nodes_of(*from.mutable_node()),
                          .opsets = opsets_of(from.opset_import())};
    for (auto& attribute : newer_messages<::onnx::AttributeProto>(from, 11)) {  // attribute_proto
        function.defaults.push_back(attribute_of(attribute));
    }
    return function;
}

FileModel model_of(::onnx::ModelProto& from) {
    FileModel model{.ir_version = from.ir_version(),
                    .producer = from.producer_name(),
                    .opsets = opsets_of(from.opset_import())};
    if (from.has_graph()) model.graph = graph_of(*from.mutable_graph());
    for (auto& function : *from.mutable_functions()) model.functions.push_back(function_of(function));
    return model;
}

std::unexpected<Error> unparsable() {
    return fail(ErrorCode::invalid_program, "It isn't an ONNX model: protobuf can't read it as one.");
}

/// Reads from the file, not its mapping, so that its pages aren't in memory twice.
template <class Message>
Result<void> parse_file(const std::filesystem::path& path, Message& message, WireMessage of) {
    {
        const auto file = TRY(map_file(path));
        TRY(check_wire(file->bytes(), of));
    }
    const platform::FileDescriptor file = platform::open_for_reading(path);
    google::protobuf::io::FileInputStream stream(file.number(), 1 << 16);
    const bool parsed = message.ParseFromZeroCopyStream(&stream);
    if (const int error = file.number() < 0 ? EIO : stream.GetErrno())
        return unreadable(path, {error, std::generic_category()});
    if (!parsed) return unparsable();
    return {};
}

/// Messages are made in an arena, which takes half the time. The texts and raw data in them have memory of
/// their own, which is moved.
::onnx::ModelProto& new_model(google::protobuf::Arena& arena) {
    return *google::protobuf::Arena::CreateMessage<::onnx::ModelProto>(&arena);
}

}  // namespace

Result<FileModel> read_model(std::span<const std::byte> bytes) {
    TRY(check_wire(bytes, WireMessage::model));
    google::protobuf::Arena arena;
    auto& message = new_model(arena);
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return unparsable();
    return model_of(message);
}

Result<FileModel> read_model(const std::filesystem::path& path) {
    google::protobuf::Arena arena;
    auto& message = new_model(arena);
    TRY(parse_file(path, message, WireMessage::model));
    return model_of(message);
}

Result<FileTensor> read_tensor(const std::filesystem::path& path) {
    ::onnx::TensorProto message;
    TRY(parse_file(path, message, WireMessage::tensor));
    return tensor_of(message);
}

}  // namespace muster::graph::onnx
