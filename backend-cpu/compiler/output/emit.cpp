#include <array>
#include <utility>

#include <fmt/format.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/backend-cpu/compiler/llvm/passes.hpp>
#include <muster/backend-cpu/compiler/output/c_header.hpp>
#include <muster/backend-cpu/compiler/output/c_interface.hpp>
#include <muster/backend-cpu/compiler/output/debug_map.hpp>
#include <muster/backend-cpu/compiler/output/emit.hpp>
#include <muster/backend-cpu/compiler/output/entry_point.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

/// Refuses undefined symbols: the program that the kernel is linked into provides none.
Result<void> check_defined(const ObjectFile& object) {
    const auto file = TRY(read_object(object));
    for (const llvm::object::SymbolRef& symbol : file->symbols()) {
        auto flags = symbol.getFlags();
        auto name = symbol.getName();
        const bool undefined = flags && (*flags & llvm::object::SymbolRef::SF_Undefined) != 0;
        if (undefined && name && !name->empty())
            return fail(
                ErrorCode::compile_failed,
                fmt::format("The kernel's code can't stand alone: it needs {}, which nothing defines.",
                            name->str()));
        llvm::consumeError(flags.takeError());
        llvm::consumeError(name.takeError());
    }
    return {};
}

struct Code {
    std::string bytes;
    std::vector<DebugEntry> debug_map;
};

Result<Code> object_of(const Program& program, llvm::Module& module, const Machine& machine) {
    const ObjectFile object = TRY(generate_object(module, machine));
    TRY(check_defined(object));
    return Code{std::string(object.begin(), object.end()), map_object(program, object)};
}

Result<Code> assembly_of(const Program& program, llvm::Module& module, const Machine& machine) {
    const auto copy = llvm::CloneModule(module);  // an object file shows undefined symbols, assembly doesn't
    TRY(check_defined(TRY(generate_object(*copy, machine))));
    std::string text = TRY(generate_assembly(module, machine));
    std::vector<DebugEntry> map = map_assembly(program, text);
    return Code{std::move(text), std::move(map)};
}

Result<Code> ir_of(const Program& program, llvm::Module& module, const Machine&) {
    PrintedModule printed = print_module(program, module);
    return Code{std::move(printed.text), std::move(printed.debug_map)};
}

struct Format {
    std::string_view name;
    Result<Code> (*generate)(const Program& program, llvm::Module& module, const Machine& machine);
};
constexpr std::array formats{Format{"object", object_of}, Format{"asm", assembly_of},
                             Format{"llvm-ir", ir_of}};

Result<const Format*> find_format(std::string_view name) {
    for (const Format& format : formats)
        if (format.name == name) return &format;
    return fail(ErrorCode::unsupported, fmt::format("The CPU backend emits no format \"{}\".", name),
                "ask for one of: object, asm, llvm-ir");
}

}  // namespace

Result<Emission> emit(LoweredKernel kernel, const Program& program, const Machine& machine,
                      const CompileRequest& request) {
    const Format& format = *TRY(find_format(request.format));
    const CInterface interface = TRY(c_interface(program, request.symbol, kernel.scratch_bytes));
    llvm::Module& module = *kernel.module;
    module.setModuleIdentifier(interface.name);
    module.setSourceFileName(program.files().empty() ? interface.name : program.files()[0].name);
    add_entry_points(module, interface);
    prepare(module, machine);
    TRY(verify(module));
    optimise(module, machine);
    Code code = TRY(format.generate(program, module, machine));
    return Emission{std::move(code.bytes), std::move(code.debug_map), interface.name + ".h",
                    c_header(program, interface, request.target.arch, request.options)};
}

}  // namespace muster::cpu
