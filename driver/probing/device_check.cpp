#include <utility>

#include <fmt/format.h>

#include <muster/driver/helper/helper_text.hpp>
#include <muster/driver/probing/device_check.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

// Names all members, so that adding one doesn't compile until it is exchanged, too.
template <class Archive, class Check>
void exchange(Archive& archive, Check& check) {
    auto& [passed, total, failure, not_done, is_lasting] = check;
    archive.line("muster device check 1");
    archive.number("passed", passed);
    archive.number("total", total);
    archive.text("failure", failure);
    archive.text("not_done", not_done);
    archive.flag("is_lasting", is_lasting);
    archive.line("end");
}

}  // namespace

std::string DeviceCheck::to_string() const {
    if (total == 0) return "not checked";
    return fmt::format("checked here: {} of {}", passed, total);
}

std::string device_check_text(const DeviceCheck& check) {
    FieldWriter writer;
    exchange(writer, check);
    return std::move(writer).take();
}

Result<DeviceCheck> read_device_check(std::string_view text) {
    DeviceCheck check = TRY(read_answer<DeviceCheck>(
        text, [](FieldReader& reader, DeviceCheck& read) { exchange(reader, read); }));
    check.failure = printable(check.failure);
    check.not_done = printable(check.not_done);
    return check;
}

}  // namespace muster
