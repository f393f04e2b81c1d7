#include <csignal>

#include <muster/cli/support/interruption.hpp>

namespace muster::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

void note(int /*number*/) { signalled = 1; }

}  // namespace

Interruption::Interruption() {
    signalled = 0;
    struct sigaction noting {};
    noting.sa_handler = note;
    noting.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // a second signal ends the process
    sigaction(SIGINT, &noting, &interrupt_);
    sigaction(SIGTERM, &noting, &terminate_);
}

Interruption::~Interruption() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
}

bool Interruption::requested() { return signalled != 0; }

}  // namespace muster::cli
