#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/c_table/table.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c_table {
namespace {

constexpr std::uint32_t all_forms = MUSTER_BACKEND_GNU99 | MUSTER_BACKEND_CXX | MUSTER_BACKEND_WGSL;
constexpr std::size_t most_specs = 64;

// A later version has members behind these: its own size then differs, and this one stays.
constexpr std::size_t bytes_of_version_1 = sizeof(muster_backend_table);
constexpr std::size_t forms_end = offsetof(muster_backend_table, forms) + sizeof(std::uint32_t);

std::unexpected<Error> wrong(std::string_view id, std::string message, std::string fix) {
    return fail(ErrorCode::invalid_argument, fmt::format("The table of {} {}.", id, message), std::move(fix));
}

/// The number of a group of slots that are set.
template <class... Slots>
std::size_t set(const Slots&... slots) {
    return (std::size_t{slots != nullptr} + ...);
}

Result<void> check_slots(const Table& table, std::string_view id) {
    if (set(table.build, table.launch) == 1)
        return wrong(id,
                     table.build != nullptr ? "has build() and no launch()" : "has launch() and no build()",
                     "set both, or neither in a backend that only emits");
    if (!runs(table) && set(table.count_devices, table.describe_device, table.open) != 0)
        return wrong(id, "has devices and no build() and launch()", "set both, or no function of devices");
    if (const auto memory = set(table.allocate, table.free, table.write, table.read);
        memory != 0 && memory != 4)
        return wrong(id,
                     fmt::format("has {} of the functions allocate(), free(), write() and read()", memory),
                     "set all four, or none for memory of the host's");
    if (table.copy != nullptr && table.allocate == nullptr)
        return wrong(id, "has copy() and no allocate()",
                     "leave copy null: the driver copies the host's memory");
    if (table.close != nullptr && table.open == nullptr)
        return wrong(id, "has close() and no open()", "set open, or leave close null");
    if (table.wait != nullptr && !runs(table))
        return wrong(id, "has wait() and no launch()", "set launch, or leave wait null");
    return {};
}

Result<void> check_specs(const Table& table, std::string_view id) {
    if (table.spec_count == 0) return {};
    if (table.specs == nullptr)
        return wrong(id, fmt::format("has {} specs at a null pointer", table.spec_count),
                     "set specs, or spec_count to 0");
    if (table.spec_count > most_specs)
        return wrong(id, fmt::format("has {} specs, more than {}", table.spec_count, most_specs),
                     "give spec_count as the number of specs");
    for (std::size_t i = 0; i < table.spec_count; ++i) {
        const auto [name, value] = table.specs[i];
        if (name.data == nullptr || name.size == 0 || name.size > 64 || value.data == nullptr ||
            value.size > 1024)
            return wrong(id, fmt::format("has a spec {} without a name or a text of what it means", i),
                         "give it both: a name of up to 64 bytes, a text of up to 1024");
    }
    return {};
}

}  // namespace

std::uint32_t known_forms(const muster_backend_table* table) {
    return table == nullptr || table->struct_size < forms_end ? 0 : table->forms & all_forms;
}

Result<Table> check_table(const muster_backend_table* table, std::string_view id) {
    constexpr const char* rebuild = "build it against the muster_backend.h of this version of muster";
    if (table == nullptr) return wrong(id, "isn't there", "give its address to MUSTER_BACKEND_RECORDS");
    const std::uint32_t bytes = table->struct_size;
    if (bytes < forms_end)
        return wrong(
            id, fmt::format("states a size of {} bytes; one of version 1 has {}", bytes, bytes_of_version_1),
            "begin it with sizeof(muster_backend_table)");
    if (table->version > MUSTER_BACKEND_VERSION)
        return fail(
            ErrorCode::unsupported,
            fmt::format("The table of {} is of version {}; this driver takes tables up to version {}.", id,
                        table->version, MUSTER_BACKEND_VERSION),
            fmt::format("{}, or install a newer muster", rebuild));
    if (table->version == 0)
        return wrong(id, "is of version 0", "begin it with its size and MUSTER_BACKEND_VERSION");
    if (bytes < bytes_of_version_1 || bytes > (1 << 16))
        return wrong(id,
                     fmt::format("states a size of {} bytes; one of version {} has {}", bytes, table->version,
                                 bytes_of_version_1),
                     rebuild);
    Table checked{};
    std::memcpy(&checked, table, std::min<std::size_t>(bytes, sizeof checked));
    checked.struct_size = sizeof checked;
    checked.forms = known_forms(table);
    if (checked.forms == 0)
        return fail(
            ErrorCode::unsupported,
            fmt::format("The table of {} takes no form of code that this driver writes: its forms are {:#x}.",
                        id, table->forms),
            "set MUSTER_BACKEND_GNU99, MUSTER_BACKEND_CXX or MUSTER_BACKEND_WGSL");
    TRY(check_slots(checked, id));
    TRY(check_specs(checked, id));
    return checked;
}

std::string text_of(const char* characters, std::size_t most) {
    return printable(
        {characters, static_cast<std::size_t>(std::find(characters, characters + most, '\0') - characters)});
}

void write_text(char* to, std::size_t most, std::string_view text) {
    const std::size_t bytes = std::min(text.size(), most - 1);
    std::ranges::copy(text.substr(0, bytes), to);
    to[bytes] = '\0';
}

std::optional<Error> error_of(std::string_view function, muster_backend_status status,
                              const muster_backend_error& error) {
    if (status == MUSTER_BACKEND_OK) return std::nullopt;
    struct Meaning {
        muster_backend_status status;
        ErrorCode code;
    };
    static constexpr std::array meanings{
        Meaning{MUSTER_BACKEND_INVALID_ARGUMENT, ErrorCode::invalid_argument},
        Meaning{MUSTER_BACKEND_UNSUPPORTED, ErrorCode::unsupported},
        Meaning{MUSTER_BACKEND_LIMIT_EXCEEDED, ErrorCode::limit_exceeded},
        Meaning{MUSTER_BACKEND_NOT_FOUND, ErrorCode::not_found},
        Meaning{MUSTER_BACKEND_UNAVAILABLE, ErrorCode::unavailable},
        Meaning{MUSTER_BACKEND_COMPILE_FAILED, ErrorCode::compile_failed},
        Meaning{MUSTER_BACKEND_DEVICE_LOST, ErrorCode::device_lost},
        Meaning{MUSTER_BACKEND_OUT_OF_MEMORY, ErrorCode::out_of_memory},
        Meaning{MUSTER_BACKEND_IO_FAILED, ErrorCode::io_failed},
        Meaning{MUSTER_BACKEND_INTERNAL, ErrorCode::internal}};
    const auto known = std::ranges::find(meanings, status, &Meaning::status);
    Error made;
    made.code = known != meanings.end() ? known->code : ErrorCode::internal;
    made.message = text_of(error.message);
    made.fix = text_of(error.fix);
    if (made.message.empty()) {
        made.message =
            fmt::format("The backend's {}() returns the status {} without a text.", function, status);
        if (made.fix.empty()) made.fix = "report this to who wrote the backend: each error has a text";
    }
    return made;
}

}  // namespace muster::c_table
