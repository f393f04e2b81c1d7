#include <muster/cli/command/shared_options.hpp>

namespace muster::cli {

const std::string_view about_input =
    "\nSPEC is one of\n"
    "  FILE.npy             numbers; FILE.npz:NAME  those of one array\n"
    "  FILE.png, FILE.jpg   RGBA pixels for array<u32> or array<vec4<f32>>\n"
    "  FILE.bin             bytes as they are\n"
    "  zeros:TYPE:COUNT     random:TYPE:COUNT:SEED     iota:TYPE:COUNT\n"
    "  like:NAME            zeros, as many as NAME has\n"
    "  extent:NAME          the width and height of NAME\n"
    "  2.5 or 1,2,3         literal numbers; f32:1,2,3 also says their type\n"
    "Without --workgroups and --invocations, there are as many invocations as the first written\n"
    "run-time array has elements.\n";

void add_program(Options& options, ProgramArguments& to, const char* kinds) {
    options.argument(to.path, "PROGRAM", kinds);
    options.value(to.entry, "--entry", "NAME", "The compute entry point, where there are several");
    options.values(to.overrides, "--override", "NAME=VALUE",
                   "The value of a pipeline-overridable constant; may be repeated");
    options.value(to.digest, "--digest", "HEX",
                  "Only a file with this SHA-256; muster inspect prints an artifact's");
}

void add_constants(Options& options, ProgramArguments& to) {
    options.values(
        to.constants, "--constant", "NAME=SPEC",
        "Of an ONNX model: the value of an input, or of a size that it leaves open, for which alone the "
        "model is made; may be repeated");
}

void add_input(Options& options, InputArguments& to) {
    options.values(to.binds, "--bind", "NAME=SPEC", "What a binding holds; one for each binding");
    options.value(to.workgroups, "--workgroups", "X,Y,Z", "The grid in workgroups");
    options.value(to.invocations, "--invocations", "X,Y,Z", "The grid in invocations, or extent:NAME")
        .excludes("--workgroups");
}

void add_specs(Options& options, std::vector<std::string>& to) {
    options.values(to, "--spec", "KEY=VALUE",
                   "A compile option that the backend declares; muster backends lists them");
}

void add_subgroup_size(Options& options, std::uint32_t& to) {
    options.value(to, "--subgroup-size", "N",
                  "The size of subgroups, for a program that asks for none; only devices that have it");
}

void add_compile_budget(Options& options, std::string& to) {
    options.value(to, "--compile-budget", "SECONDS",
                  "How long compiling may take, in seconds; 0: as long as it takes. Default 30");
}

void add_fast(Options& options, bool& to) {
    options.flag(to, "--fast",
                 "Fast mode, with the precision that WGSL asks for and the device's own functions");
}

void add_routing(Options& options, RoutingArguments& to) {
    options.list(to.backends, "--backend", "ID",
                 "Only this backend, or this device of it (ID:ORDINAL, ID:UUID); repeated or separated by "
                 "commas: in this order");
    options.value(to.pin, "--pin", "ID",
                  "This backend or device (ID, ID:ORDINAL, ID:UUID), or an error: never another");
    options.flag(to.only_one, "--only-one", "The one backend that fits; where several do, an error");
    options.flag(to.measured, "--measured",
                 "The device that is estimated to finish first, by what muster bench has measured");
    options.list(to.excludes, "--exclude", "ID", "Never this backend or device");
    options.list(to.allow_tags, "--allow", "TAG", "Also backends with this tag, \"debug\" for instance");
    options.list(to.require_tags, "--tag", "TAG", "Only backends with this tag");
    options.list(to.exclude_tags, "--exclude-tag", "TAG", "Never a backend with this tag, named or not");
    options.value(to.kind, "--kind", "KIND",
                  "Only devices of this kind: gpu (never a CPU, nor one that plays a GPU), discrete, "
                  "integrated, cpu");
    options.value(to.min_memory, "--min-memory", "SIZE",
                  "Only devices with so much memory: 8GiB, 512MiB or bytes");
    options.list(to.require_features, "--require", "FEATURE",
                 "Only devices that have this: a type (f32), an operation (fma), subgroup:32, exact");
    add_subgroup_size(options, to.subgroup_size);
    add_compile_budget(options, to.compile_budget);
    options.value(
        to.on_failure, "--on-failure", "WHAT",
        "After a fault of a device or its compiler: fail (the default), retry (once more, on the device "
        "opened anew) or next (on the next device)");
    options.value(
        to.optimize, "--optimize", "WHEN",
        "When a program that runs for the first time is optimised: first, later (the default: quick "
        "code runs meanwhile, with the same results) or never");
    options.value(to.pack, "--pack", "ID",
                  "Of models: the pack of patterns that they are rewritten by; muster backends lists them");
    options.flag(to.no_emission, "--no-emission",
                 "Where nothing can execute: refused, and no code to ship in its place");
    options.flag(to.no_device_check, "--no-device-check",
                 "Trust devices without a few kernels that they run, once, before they are chosen");
    options.flag(to.inexact_ok, "--inexact-ok", "Also devices that don't promise exact arithmetic");
    add_fast(options, to.fast);
    options.value(to.trace, "--trace", "FILE",
                  "Record what the process does, for ui.perfetto.dev and muster trace");
}

void add_validate(Options& options, RoutingArguments& to) {
    options.flag(to.validate, "--validate",
                 "Also run samples on the interpreter first, and warn of races and bad accesses");
}

void add_json(Options& options, bool& to) { options.flag(to, "--json", "Print JSON"); }

}  // namespace muster::cli
