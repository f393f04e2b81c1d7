#include <array>
#include <optional>

#include <fmt/format.h>

#include <muster/foundation/base/try.hpp>
#include <muster/graph/onnx/wire.hpp>

namespace muster::graph::onnx {
namespace {

enum class Kind : std::uint8_t {
    model,
    graph,
    node,
    attribute,
    tensor,
    sparse_tensor,
    value,
    type,
    tensor_type,
    shape,
    sequence,
    map,
    function,
    other,
};
constexpr std::array<std::string_view, 14> kind_names{
    "ModelProto",         "GraphProto",     "NodeProto",     "AttributeProto",   "TensorProto",
    "SparseTensorProto",  "ValueInfoProto", "TypeProto",     "TypeProto.Tensor", "TensorShapeProto",
    "TypeProto.Sequence", "TypeProto.Map",  "FunctionProto", "a message",
};

/// A field that holds a message, which the walk goes into; a message of kind `other` is only looked through.
struct Nested {
    Kind in;
    std::uint32_t field;
    Kind holds;
};
// clang-format off
constexpr std::array<Nested, 45> nested{{
    {Kind::model, 7, Kind::graph}, {Kind::model, 8, Kind::other}, {Kind::model, 14, Kind::other},
    {Kind::model, 20, Kind::other}, {Kind::model, 25, Kind::function},
    {Kind::graph, 1, Kind::node}, {Kind::graph, 5, Kind::tensor}, {Kind::graph, 11, Kind::value}, {Kind::graph, 12, Kind::value},
    {Kind::graph, 13, Kind::value}, {Kind::graph, 14, Kind::other}, {Kind::graph, 15, Kind::sparse_tensor},
    {Kind::graph, 16, Kind::other},
    {Kind::node, 5, Kind::attribute}, {Kind::node, 9, Kind::other}, {Kind::node, 10, Kind::other},
    {Kind::attribute, 5, Kind::tensor}, {Kind::attribute, 6, Kind::graph}, {Kind::attribute, 10, Kind::tensor},
    {Kind::attribute, 11, Kind::graph}, {Kind::attribute, 14, Kind::type}, {Kind::attribute, 15, Kind::type},
    {Kind::attribute, 22, Kind::sparse_tensor}, {Kind::attribute, 23, Kind::sparse_tensor},
    {Kind::tensor, 3, Kind::other}, {Kind::tensor, 13, Kind::other}, {Kind::tensor, 16, Kind::other},
    {Kind::sparse_tensor, 1, Kind::tensor}, {Kind::sparse_tensor, 2, Kind::tensor},
    {Kind::value, 2, Kind::type}, {Kind::value, 4, Kind::other},
    {Kind::type, 1, Kind::tensor_type}, {Kind::type, 4, Kind::sequence}, {Kind::type, 5, Kind::map},
    {Kind::type, 8, Kind::tensor_type}, {Kind::type, 9, Kind::sequence}, {Kind::sequence, 1, Kind::type}, {Kind::map, 2, Kind::type},
    {Kind::tensor_type, 2, Kind::shape}, {Kind::shape, 1, Kind::other},
    {Kind::function, 7, Kind::node}, {Kind::function, 9, Kind::other}, {Kind::function, 11, Kind::attribute},
    {Kind::function, 12, Kind::value}, {Kind::function, 14, Kind::other},
}};
// clang-format on

/// The content of a field, by its kind of message and number.
struct Holds {
    bool message = false;
    Kind kind = Kind::other;
};
constexpr std::size_t most_field = 25;
constexpr auto fields = [] {
    std::array<std::array<Holds, most_field + 1>, kind_names.size()> table{};
    for (const Nested& row : nested)
        table[static_cast<std::size_t>(row.in)].at(row.field) = {true, row.holds};
    return table;
}();

/// protobuf's wire types.
enum Wire : std::uint32_t { varint = 0, eight_bytes = 1, counted = 2, four_bytes = 5 };

class WireReader {
  public:
    explicit WireReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    Result<void> message(Kind kind, std::size_t end, int depth) {
        if (depth > max_depth) {
            return fail(
                ErrorCode::limit_exceeded,
                fmt::format("At byte {}, messages lie within each other more than {} deep.", at_, max_depth));
        }
        while (at_ < end) TRY(field(kind, end, depth));
        return {};
    }

  private:
    std::unexpected<Error> wrong(std::size_t at, std::string_view what) const {
        return fail(ErrorCode::invalid_program,
                    fmt::format("It isn't an ONNX model: at byte {} of {}, {}.", at, bytes_.size(), what));
    }

    Result<void> field(Kind kind, std::size_t end, int depth) {
        if (++parts_ > max_parts) {
            return fail(ErrorCode::limit_exceeded, fmt::format("It has more than {} parts (messages, texts, "
                                                               "numbers).",
                                                               max_parts));
        }
        const std::size_t start = at_;
        const auto tag = number(end);
        if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0) return wrong(start, "there is no field");
        std::size_t skipped = 0;
        switch (*tag & 7u) {
            case varint:
                if (!number(end)) return wrong(start, "a number doesn't end");
                return {};
            case eight_bytes: skipped = 8; break;
            case four_bytes: skipped = 4; break;
            case counted:
                return counted_field(kind, static_cast<std::uint32_t>(*tag >> 3), start, end, depth);
            default: return wrong(start, "a field has a form that isn't used");
        }
        if (skipped > end - at_) return wrong(start, "a number doesn't end");
        at_ += skipped;
        return {};
    }

    Result<void> counted_field(Kind kind, std::uint32_t field, std::size_t start, std::size_t end,
                               int depth) {
        const auto size = number(end);
        if (!size || *size > end - at_) {
            return wrong(start,
                         fmt::format("field {} of {} is longer than what it is in; the file may be cut off",
                                     field, kind_names[static_cast<std::size_t>(kind)]));
        }
        const std::size_t behind = at_ + static_cast<std::size_t>(*size);
        const Holds holds = field <= most_field ? fields[static_cast<std::size_t>(kind)][field] : Holds{};
        if (holds.message) return message(holds.kind, behind, depth + 1);
        at_ = behind;
        return {};
    }

    /// A number of up to ten bytes, seven bits in each.
    std::optional<std::uint64_t> number(std::size_t end) {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70 && at_ < end; shift += 7) {
            const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
            if (shift < 64) value |= (byte & 127u) << shift;
            if (byte < 128) return value;
        }
        return std::nullopt;
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0, parts_ = 0;
};

}  // namespace

Result<void> check_wire(std::span<const std::byte> bytes, WireMessage of) {
    if (bytes.size() > max_message_bytes) {
        return fail(
            ErrorCode::limit_exceeded,
            fmt::format("It has {} bytes, and the format allows {}.", bytes.size(), max_message_bytes),
            "store the weights as external data, in a file of their own");
    }
    return WireReader(bytes).message(of == WireMessage::model ? Kind::model : Kind::tensor, bytes.size(), 1);
}

}  // namespace muster::graph::onnx
