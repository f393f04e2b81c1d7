// The records: what the library adds to a process that loads it. They are constants, which muster reads from the file
// before it opens it; nothing runs when it is loaded.
#include "backend.hpp"

namespace backend_mine {
namespace {

using namespace muster;

// The tag keeps automatic routing from choosing the backend where another one is there: it runs what names it (--backend).
constexpr BackendRegistration registration{.id = MUSTER_BACKEND_ID,
                                           .factory = make_backend<MineBackend>,
                                           .supported_ops = supported_ops,
                                           .tags = "experimental"};
// NEXT 5: remove the tag, and choose the rank. Lower ranks come first; the CPU's is 100.
constexpr BackendPrecedence precedence{.id = MUSTER_BACKEND_ID, .rank = 500};
constexpr BackendCapability capability{.id = MUSTER_BACKEND_ID, .dispatches = true};
MUSTER_SUBMIT(registration);
MUSTER_SUBMIT(precedence);
MUSTER_SUBMIT(capability);

}  // namespace
}  // namespace backend_mine
