// stage.hpp - what a span of a trace shows: a stage in the life of a dispatch, or of what leads to it.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::trace {

enum class Stage : std::uint8_t {
    probe,     // looking for a backend's devices
    prove,     // running the check of a device, before routing trusts it
    route,     // choosing a device
    open,      // opening a device
    compile,   // all that makes code from a program, its own stages included
    expand,    // replacing what the device hasn't by what it has
    lower,     // from muster's program to the compiler's
    optimize,  // the compiler's passes
    generate,  // machine code
    load,      // handing code to the device
    allocate,  // of a device's memory
    write,     // from the host to the device
    read,      // from the device to the host
    submit,    // handing a dispatch to the device
    wait,      // for a dispatch's end
    run,       // on a device, by its clock
    model,     // running a model
    message,   // sending or receiving between members of a cluster
};

struct StageTraits {
    std::string_view name;
    /// True if its beginning is written at once, so that a process that dies in it shows where; else both
    /// ends are one event, which costs half as much.
    bool is_long;
};

constexpr StageTraits traits(Stage stage) {
    switch (stage) {
        case Stage::probe: return {"probe", true};
        case Stage::prove: return {"prove", true};
        case Stage::route: return {"route", false};
        case Stage::open: return {"open", true};
        case Stage::compile: return {"compile", true};
        case Stage::expand: return {"expand", true};
        case Stage::lower: return {"lower", true};
        case Stage::optimize: return {"optimize", true};
        case Stage::generate: return {"generate", true};
        case Stage::load: return {"load", true};
        case Stage::allocate: return {"allocate", false};
        case Stage::write: return {"write", false};
        case Stage::read: return {"read", false};
        case Stage::submit: return {"submit", false};
        case Stage::wait: return {"wait", false};
        case Stage::run: return {"run", false};
        case Stage::model: return {"model", true};
        case Stage::message: return {"message", false};
    }
    return {"unknown", false};
}

}  // namespace muster::trace
