// Pictures, arrays and traces that the tool reads, PNG, JPEG, .npy, .npz and JSON: any bytes give data of the size that they say, or
// an error.
#include <span>
#include <vector>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/npy.hpp>
#include <muster/cli/input/npz.hpp>
#include <muster/cli/report/trace_report.hpp>

#include "target.hpp"
#include "temporary_folder.hpp"

namespace muster::fuzz {
namespace {

template <class T>
bool is_there(const Result<T>& result) {
    expect(result || !result.error().message.empty(), "an error says what is wrong");
    return result.has_value();
}

void read_array(std::span<const std::byte> bytes) {
    const auto array = cli::parse_npy(bytes, "file");
    if (!is_there(array)) return;
    const auto count = cli::count_of(array->shape);
    expect(count.has_value() && *count == array->count(), "an array has as many numbers as its shape says");
    expect(array->elements.empty() ||
               (array->elements.data() >= bytes.data() &&
                array->elements.data() + array->elements.size() <= bytes.data() + bytes.size()),
           "an array's numbers lie in the file");
    (void)array->type_name();
}

void read_picture(std::span<const std::byte> bytes) {
    const auto picture = cli::parse_image(bytes, "file");
    if (!is_there(picture)) return;
    expect(picture->rgba.size() == std::uint64_t{4} * picture->width * picture->height,
           "a picture has four bytes for each pixel");
    const auto written = cli::format_png(*picture);
    expect(written.has_value(), "a picture can be written");
    const auto again = cli::parse_image(*written, "file");
    expect(again && again->rgba == picture->rgba, "a picture is read as it was written");
}

void read_trace(std::string_view text) {
    const auto summary = cli::summarize_trace(text, 3);
    if (!is_there(summary)) return;
    for (const cli::TraceDevice& device : summary->devices) {
        expect(device.busy_ns <= device.last_ns - device.first_ns, "a device is busy while there is a trace");
        for (const cli::TraceGap& gap : device.gaps)
            expect(gap.begins_ns <= summary->length_ns && gap.length_ns <= summary->length_ns,
                   "a gap lies in the trace");
    }
    (void)cli::trace_text(*summary, 5);
    (void)cli::trace_json(*summary).dump(-1, ' ', false, cli::Json::error_handler_t::replace);
}

}  // namespace

void check(std::string_view text) {
    static const TemporaryFolder folder;
    const auto bytes = std::as_bytes(std::span(text));
    read_array(bytes);
    read_picture(bytes);
    read_trace(text);
    if (!text.starts_with("PK")) return;
    if (const auto file = cli::read_npz(folder.write("file.npz", text), "x"); is_there(file))
        read_array(*file);
}

}  // namespace muster::fuzz
