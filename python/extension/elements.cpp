#include <array>
#include <bit>
#include <cstring>
#include <string>

#include <muster/muster.h>
#include <muster/python/extension/elements.hpp>

namespace muster::python {
namespace {

static_assert(std::endian::native == std::endian::little);

struct Row {
    std::uint32_t element;
    std::size_t bytes;
    const char *format, *name;
};
constexpr std::array rows{
    Row{MUSTER_BYTES, 1, "B", "bytes"}, Row{MUSTER_BOOL, 1, "?", "bool"}, Row{MUSTER_I8, 1, "b", "i8"},
    Row{MUSTER_U8, 1, "B", "u8"},       Row{MUSTER_I16, 2, "h", "i16"},   Row{MUSTER_U16, 2, "H", "u16"},
    Row{MUSTER_I32, 4, "i", "i32"},     Row{MUSTER_U32, 4, "I", "u32"},   Row{MUSTER_I64, 8, "q", "i64"},
    Row{MUSTER_U64, 8, "Q", "u64"},     Row{MUSTER_F16, 2, "e", "f16"},   Row{MUSTER_F32, 4, "f", "f32"},
    Row{MUSTER_F64, 8, "d", "f64"}};

const Row& row_of(std::uint32_t element) { return rows[element < rows.size() ? element : 0]; }
constexpr bool in_order() {
    for (std::uint32_t i = 0; i < rows.size(); ++i)
        if (rows[i].element != i) return false;
    return true;
}
static_assert(in_order());

std::optional<std::uint32_t> integer(bool is_signed, Py_ssize_t bytes) {
    switch (bytes) {
        case 1: return is_signed ? MUSTER_I8 : MUSTER_U8;
        case 2: return is_signed ? MUSTER_I16 : MUSTER_U16;
        case 4: return is_signed ? MUSTER_I32 : MUSTER_U32;
        case 8: return is_signed ? MUSTER_I64 : MUSTER_U64;
        default: return std::nullopt;
    }
}

template <class T>
bool store(T value, void* to) {
    std::memcpy(to, &value, sizeof value);
    return true;
}

bool write_integer(PyObject* number, std::uint32_t element, void* to) {
    const bool is_signed = element == MUSTER_I32 || element == MUSTER_I64;
    const bool is_wide = element == MUSTER_I64 || element == MUSTER_U64;
    if (is_signed) {
        const long long value = PyLong_AsLongLong(number);
        if (value == -1 && PyErr_Occurred() != nullptr) throw Raised();
        if (!is_wide && (value < INT32_MIN || value > INT32_MAX))
            raise(PyExc_OverflowError, "the number doesn't fit an i32");
        return store(value, to);
    }
    const unsigned long long value = PyLong_AsUnsignedLongLong(number);
    if (value == ~0ULL && PyErr_Occurred() != nullptr) throw Raised();
    if (!is_wide && value > UINT32_MAX) raise(PyExc_OverflowError, "the number doesn't fit a u32");
    return store(value, to);
}

}  // namespace

std::optional<std::uint32_t> element_of(const char* format, Py_ssize_t item_bytes) {
    if (format == nullptr) return MUSTER_U8;
    std::string_view text(format);
    if (!text.empty() && (text[0] == '@' || text[0] == '=' || text[0] == '<')) text.remove_prefix(1);
    if (text.starts_with("T{") || text.ends_with('x'))
        return MUSTER_BYTES;  // NumPy's structures, and its void
    if (text.size() != 1) return std::nullopt;
    switch (text[0]) {
        case '?': return MUSTER_BOOL;
        case 'b':
        case 'h':
        case 'i':
        case 'l':
        case 'q':
        case 'n': return integer(true, item_bytes);
        case 'B':
        case 'H':
        case 'I':
        case 'L':
        case 'Q':
        case 'N': return integer(false, item_bytes);
        case 'e': return MUSTER_F16;
        case 'f': return MUSTER_F32;
        case 'd': return MUSTER_F64;
        default: return std::nullopt;
    }
}

std::size_t bytes_of(std::uint32_t element) { return row_of(element).bytes; }
const char* format_of(std::uint32_t element) { return row_of(element).format; }
const char* name_of(std::uint32_t element) { return row_of(element).name; }

bool write_number(PyObject* number, std::uint32_t element, void* to) {
    const bool is_integer = PyLong_Check(number) != 0;
    if (!is_integer && PyFloat_Check(number) == 0) return false;
    if (element == MUSTER_F32 || element == MUSTER_F64) {
        const double value = PyFloat_AsDouble(number);
        if (value == -1.0 && PyErr_Occurred() != nullptr) throw Raised();
        return element == MUSTER_F64 ? store(value, to) : store(static_cast<float>(value), to);
    }
    const bool is_plain =
        element == MUSTER_I32 || element == MUSTER_U32 || element == MUSTER_I64 || element == MUSTER_U64;
    return is_plain && is_integer && write_integer(number, element, to);
}

}  // namespace muster::python
