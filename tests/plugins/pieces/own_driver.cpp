// Makes a library belong to a driver of its own, as one does that contains the static muster (driver/registry/modules.hpp).
#include <cstdint>

namespace muster {

[[gnu::visibility("hidden")]] extern const std::uint64_t driver_identity;
const std::uint64_t driver_identity = 1;

}  // namespace muster
