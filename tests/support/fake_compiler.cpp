#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>

#include <fmt/format.h>
#include <support/fake_compiler.hpp>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster::test {
namespace {

using cuda::CudaSource;
using cuda::Parameter;
using cuda::ParameterKind;

std::uint32_t aligned(std::uint32_t offset, std::uint32_t to) {
    return static_cast<std::uint32_t>(round_up(offset, to));
}

template <class T>
T read(std::span<const std::byte> block, std::uint32_t offset) {
    T value{};
    std::memcpy(&value, block.data() + offset, sizeof value);
    return value;
}

/// The kernel's bindings, found in its parameters.
class Bound {
  public:
    Bound(FakeDriver& fake, const ValidProgram& program, const CudaSource& source, const FakeLaunch& launch) {
        grid_ = {.extent = launch.grid, .grid = launch.grid};
        if (source.origin_offset) grid_.origin = read<Extent3>(launch.block, *source.origin_offset);
        if (source.grid_offset) grid_.grid = read<Extent3>(launch.block, *source.grid_offset);
        for (std::size_t i = 0; i < source.parameters.size(); ++i) {
            const Variable& variable = program->variable(program->bindings()[i]);
            const auto bytes = bytes_of(program, variable, source.parameters[i], launch.block);
            const auto address = read<CUdeviceptr>(launch.block, source.parameters[i].offset);
            if (address == 0 && source.parameters[i].kind == ParameterKind::uniform_either) {
                const std::byte* const value = launch.block.data() + source.parameters[i].value_offset;
                values_.emplace_back(value, value + bytes);
                bindings_.push_back({values_.back()});
                continue;
            }
            std::byte* const memory = fake.memory(address, bytes);
            if (!memory) return;
            bindings_.push_back({{memory, bytes}});
        }
        if (source.barrier_state_offset &&
            !is_at_first(fake, read<CUdeviceptr>(launch.block, *source.barrier_state_offset)))
            return;
        complete_ = true;
    }

    CUresult run(const InterpreterCode& code) const {
        if (!complete_) return CUDA_ERROR_ILLEGAL_ADDRESS;
        return interpret(code, bindings_, grid_, {.threads = 1}) ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
    }

  private:
    static bool is_at_first(FakeDriver& fake, CUdeviceptr barrier_state) {
        const std::byte* const at = fake.memory(barrier_state, cuda::barrier_state_bytes);
        return at && std::all_of(at, at + cuda::barrier_state_bytes,
                                 [](std::byte one) { return one == std::byte{0}; });
    }
    static std::uint64_t bytes_of(const ValidProgram& program, const Variable& variable,
                                  const Parameter& parameter, std::span<const std::byte> block) {
        if (parameter.array_stride == 0) return min_binding_bytes(program->types(), variable.type);
        return parameter.array_offset +
               parameter.array_stride * read<std::uint32_t>(block, parameter.length_offset);
    }

    LaunchGrid grid_;
    std::deque<std::vector<std::byte>> values_;
    std::vector<BoundBytes> bindings_;
    bool complete_ = false;
};

}  // namespace

CudaSource fake_source(const ValidProgram& program, std::uint32_t most_value_bytes) {
    CudaSource source;
    source.entry = program->entry();
    source.workgroup_size = program->workgroup_size();
    std::uint32_t end = 0;
    for (const VariableId id : program->bindings()) {
        const Variable& variable = program->variable(id);
        const std::uint64_t bytes = min_binding_bytes(program->types(), variable.type);
        const RuntimeArray array = runtime_array(program->types(), variable.type);
        Parameter& parameter = source.parameters.emplace_back();
        parameter.offset = aligned(end, 8);
        end = parameter.offset + 8;
        if (variable.space != AddressSpace::uniform) {
            parameter.kind = ParameterKind::storage;
            if (array.stride == 0) continue;
            parameter.array_offset = array.offset;
            parameter.array_stride = array.stride;
            parameter.length_offset = end;
            end += 4;
        } else if (bytes > most_value_bytes) {
            parameter.kind = ParameterKind::uniform_memory;
        } else {
            parameter.kind = ParameterKind::uniform_either;
            parameter.value_offset = aligned(end, 16);
            parameter.value_bytes = static_cast<std::uint32_t>(bytes);
            end = parameter.value_offset + parameter.value_bytes;
        }
    }
    source.origin_offset = aligned(end, 4);
    source.grid_offset = *source.origin_offset + 12;
    source.parameter_bytes = *source.grid_offset + 12;
    if (has_grid_barriers(*program)) {
        source.barrier_state_offset = aligned(source.parameter_bytes, 8);
        source.parameter_bytes = *source.barrier_state_offset + 8;
    }
    return source;
}

cuda::Compiler fake_compiler(FakeDriver& fake, const FakeCompilerOptions& options) {
    return [&](const ValidProgram& program, const CompileOptions& how, const std::string& arch,
               int) -> Result<Artifact> {
        static std::atomic<int> made{0};
        auto source = std::make_shared<CudaSource>(
            options.lowered ? TRY(cuda::lower(program, {.options = how, .dispatched = true}))
                            : fake_source(program, options.most_value_bytes));
        source->text.clear();
        source->entry += fmt::format("_{}", ++made);
        source->dynamic_shared_bytes += options.dynamic_shared_bytes;
        auto code = InterpreterCode::compile(program);
        if (!code) return std::unexpected(code.error());
        const auto run = [&fake, program, source, code = *code,
                          outcome = options.outcome](const FakeLaunch& launch) {
            if (outcome != CUDA_SUCCESS) return outcome;
            return Bound(fake, program, *source, launch).run(code);
        };
        fake.set_kernel(source->entry, {.parameter_bytes = source->parameter_bytes,
                                        .run = run,
                                        .static_shared_bytes = options.static_shared_bytes,
                                        .endless = options.endless,
                                        .cooperative = source->barrier_state_offset.has_value()});
        Artifact artifact;
        artifact.format = options.format;
        const std::string image = options.format == "ptx" ? ".version " + options.ptx_version : "cubin";
        const auto bytes = std::as_bytes(std::span(image.c_str(), image.size() + 1));
        artifact.bytes.assign(bytes.begin(), bytes.end());
        artifact.target = "cuda:" + arch;
        artifact.entry = source->entry;
        artifact.workgroup_size = source->workgroup_size;
        artifact.bindings = binding_layouts(program);
        artifact.fingerprint = program->fingerprint();
        artifact.options = how;
        artifact.in_process = std::move(source);
        return artifact;
    };
}

}  // namespace muster::test
