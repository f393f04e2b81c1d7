#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include <muster/cli/input/grid_argument.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

using Axes = std::array<std::uint64_t, 3>;

Result<Axes> parse_axes(std::string_view text, std::string_view option) {
    Axes axes{1, 1, 1};
    std::string_view rest = text;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), axes[axis]);
        if (error != std::errc{}) break;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (rest.empty() && std::ranges::find(axes, 0u) != axes.end())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} is given \"{}\", a grid without any invocation.", option, text),
                        "write 1 or more for each axis");
        if (rest.empty()) return axes;
        if (!rest.starts_with(',')) break;
        rest.remove_prefix(1);
    }
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is given \"{}\", which isn't one to three whole numbers.", option, text),
                fmt::format("write {} 1024 or {} 64,64,1", option, option));
}

Result<Axes> extent_axes(const std::string& name, const Program& program, const HostBuffers& buffers) {
    const auto buffer = buffers.find(name);
    if (buffer == buffers.end()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--invocations extent:{} names no binding.", name));
    }
    const Extent extent = extent_of(program.types(), find_binding(program, name)->type, buffer->second.shape);
    return Axes{extent.x, extent.y, extent.z};
}

const Variable* first_written_array(const Program& program) {
    for (const VariableId id : program.bindings()) {
        const Variable& variable = program.variable(id);
        if (variable.is_written && program.types().has_runtime_array(variable.type)) return &variable;
    }
    return nullptr;
}

}  // namespace

Result<ChosenGrid> choose_grid(const InputArguments& arguments, const Program& program,
                               const HostBuffers& buffers) {
    ChosenGrid chosen;
    constexpr std::string_view extent_prefix = "extent:";
    if (!arguments.workgroups.empty()) {
        const Axes axes = TRY(parse_axes(arguments.workgroups, "--workgroups"));
        chosen.grid = Workgroups{axes[0], axes[1], axes[2]};
        chosen.origin = "--workgroups";
    } else if (arguments.invocations.starts_with(extent_prefix)) {
        const std::string name = arguments.invocations.substr(extent_prefix.size());
        const Axes axes = TRY(extent_axes(name, program, buffers));
        chosen.grid = Invocations{axes[0], axes[1], axes[2]};
        chosen.origin =
            fmt::format("{} x {} x {} invocations, the extent of {}", axes[0], axes[1], axes[2], name);
    } else if (!arguments.invocations.empty()) {
        const Axes axes = TRY(parse_axes(arguments.invocations, "--invocations"));
        chosen.grid = Invocations{axes[0], axes[1], axes[2]};
        chosen.origin = "--invocations";
    } else {
        const Variable* array = first_written_array(program);
        if (array == nullptr) {
            return fail(
                ErrorCode::invalid_argument,
                fmt::format("{} writes no run-time array, so that the grid doesn't follow from its bindings.",
                            program.entry()),
                "add --workgroups X,Y,Z or --invocations X,Y,Z");
        }
        const std::uint64_t elements =
            element_count(program.types(), array->type, buffers.find(array->name)->second.bytes.size());
        chosen.grid = Invocations{elements, 1, 1};
        chosen.origin = fmt::format("{} invocations, as many as {} has elements", elements, array->name);
    }
    chosen.workgroups = TRY(workgroups(chosen.grid, program.workgroup_size()));
    return chosen;
}

Result<KernelInput> make_input(const InputArguments& arguments, const Program& program) {
    KernelInput input{TRY(make_buffers(program, TRY(split_assignments(arguments.binds, "--bind")))), {}};
    input.grid = TRY(choose_grid(arguments, program, input.buffers));
    return input;
}

}  // namespace muster::cli
