// Emits an object file, for which the CPU backend finds and opens its compiler, wherever this program was
// built.
#include <cstdio>

#include <muster/muster.hpp>

int main() {
    const auto emitted = []() -> muster::Result<muster::Artifact> {
        auto program = muster::wgsl::parse("@compute @workgroup_size(1) fn nothing() {}");
        if (!program) return std::unexpected(program.error());
        auto valid = muster::validate(*std::move(program));
        if (!valid) return std::unexpected(valid.error());
        auto session = muster::Session::open({.use_environment = false});
        if (!session) return std::unexpected(session.error());
        return session->emit(*valid, {.arch = "cpu:x86-64-v2"});
    }();
    std::printf("%s\n", emitted ? emitted->format.c_str() : emitted.error().to_string().c_str());
}
