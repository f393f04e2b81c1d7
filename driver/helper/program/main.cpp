// muster-probe FILE ID - probes the backend ID that FILE registers, and writes what it finds to file
// descriptor 3. muster-probe --check FILE ID ORDINAL - checks a device of that backend, and writes the
// verdict there. muster-probe --call FILE FUNCTION - calls FUNCTION of FILE with what is on standard input,
// and writes its answer there.
//
// The helper of isolated probes and compilations (driver/probing/isolation.hpp,
// driver/helper/helper_call.hpp): loads, constructs, probes and calls FILE in this process, so that a failure
// doesn't affect the process that started it, which has judged the file (driver/platform/may_run.hpp). On
// Linux it ends when that process ends.
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <muster/driver/helper/helper_call.hpp>
#include <muster/driver/helper/helper_process.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/process.hpp>
#include <muster/driver/probing/fleet.hpp>
#include <muster/driver/probing/isolation.hpp>
#include <muster/driver/probing/probe_answer.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/proving/check_device.hpp>
#include <muster/driver/registry/freeze.hpp>

namespace {

using namespace muster;

ProbeResult failed(std::string message) {
    return {ProbeState::failed, {}, {ErrorCode::unavailable, std::move(message), {}, {}}, {}};
}

/// The fleet with FILE's backends. Errors: FILE can't be opened.
Result<std::unique_ptr<Fleet>> fleet_of(const char* file) {
    auto library = DriverLibrary::open(file, CodePlace::named);
    if (!library)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} can't be opened: {}.", file, library.error().message));
    library->keep();
    // The process that started this one enforces the time budget.
    return std::make_unique<Fleet>(fleet_entries(refreeze()), std::chrono::hours(24));
}

ProbeResult probe(const char* file, std::string_view id) {
    auto fleet = fleet_of(file);
    if (!fleet) return failed(std::move(fleet).error().message);
    const auto which = (*fleet)->find(id);
    if (!which) return failed(fmt::format("{} registers no backend {}.", file, id));
    if (const auto& fault = (*fleet)->entry(*which).fault) return {ProbeState::failed, {}, *fault, {}};
    return (*fleet)->probe(*which);
}

DeviceCheck check(const char* file, std::string_view id, std::uint32_t ordinal) {
    auto fleet = fleet_of(file);
    if (!fleet) return {.not_done = std::move(fleet).error().message};
    const auto which = (*fleet)->find(id);
    if (!which) return {.not_done = fmt::format("{} registers no backend {}.", file, id)};
    auto backend = (*fleet)->backend(*which);
    if (!backend) return {.not_done = std::move(backend).error().message};
    return proving::check_device(**backend, ordinal);
}

/// Ends the process at once: without memory, a library such as LLVM can't finish what it has begun.
[[noreturn]] void end_without_memory() { std::_Exit(helper::helper_out_of_memory); }

int call(const char* file, const char* function) {
    std::set_new_handler(end_without_memory);
    auto library = DriverLibrary::open(file, CodePlace::named);
    void* const called = library ? library->find(function) : nullptr;
    if (called == nullptr) {
        fmt::print(stderr, "muster-probe: {}\n",
                   library ? fmt::format("{} has no function {}", file, function) : library.error().message);
        return helper::helper_opens_nothing;
    }
    library->keep();
    const std::string request = platform::standard_input();
    reinterpret_cast<HelperFunction>(called)(request.data(), request.size(), platform::write_to_parent);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    const bool calls = count == 4 && std::string_view(arguments[1]) == helper_call_option;
    const bool checks = count == 5 && std::string_view(arguments[1]) == probing::helper_check_option;
    if (count != 3 && !calls && !checks) {
        fmt::print(
            stderr,
            "Usage: muster-probe FILE ID, muster-probe --check FILE ID ORDINAL, or muster-probe --call "
            "FILE FUNCTION, with a file descriptor 3 to write to. muster starts it.\n");
        return 2;
    }
    platform::belong_to_parent();
    if (calls) std::_Exit(call(arguments[2], arguments[3]));
    setenv("MUSTER_LOG", "off", 1);  // the process that started this one tells of a crash
    const std::string answer =
        checks ? device_check_text(check(arguments[2], arguments[3],
                                         static_cast<std::uint32_t>(std::strtoul(arguments[4], nullptr, 10))))
               : probing::probe_answer(probe(arguments[1], arguments[2]));
    platform::write_to_parent(answer.data(), answer.size());
    std::_Exit(0);  // skips the destructors of libraries, which could still crash
}
