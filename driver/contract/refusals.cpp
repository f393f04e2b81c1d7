#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/contract/refusals.hpp>

namespace muster {

std::unexpected<Error> no_such_device(std::string_view api, std::uint32_t ordinal, std::size_t count) {
    return fail(ErrorCode::not_found,
                fmt::format("There is no {} device {} among the {} that can be used.", api, ordinal, count));
}

std::unexpected<Error> no_such_target(std::string_view api, std::string_view arch, std::string_view known) {
    const bool is_one = known.find(',') == known.npos;
    return fail(ErrorCode::not_found, fmt::format("The {} backend has no target \"{}\".", api, arch),
                is_one ? fmt::format("ask for \"{}\", its only one", known)
                       : fmt::format("ask for one of: {}", known));
}

Result<void> check_operations(std::string_view api, const Program& program, const OpSet& ops) {
    if (ops.contains(program.required_ops())) return {};
    return fail(ErrorCode::unsupported,
                fmt::format("The {} backend doesn't lower what {} uses: {}.", api, program.entry(),
                            fmt::join(ops.missing(program.required_ops()), ", ")),
                "prepare or emit the program with a session (Session::prepare, Session::emit), whose driver "
                "writes these "
                "with other operations");
}

std::unexpected<Error> not_loadable(std::string_view api, std::string_view loaded, std::string_view format) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("The {} backend loads {}, and this artifact is of format \"{}\".", api, loaded, format),
        "compile the program for this device");
}

std::unexpected<Error> too_large_buffer(std::string_view device, std::uint64_t bytes, std::uint64_t most) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("A buffer of {} bytes is larger than the {} that {} allocates at once.", bytes,
                            most, device),
                "use smaller buffers");
}

}  // namespace muster
