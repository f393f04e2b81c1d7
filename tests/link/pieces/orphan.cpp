// Submits a precedence for a backend that nobody registers.
#include <muster/driver/contract/inventory.hpp>

namespace {
constexpr muster::BackendPrecedence precedence{.id = "orphan", .rank = 1};
MUSTER_SUBMIT(precedence);
}  // namespace
