// Every way to acquire a backend by its id gives it wrapped, so that its devices run
// programs with grid barriers.
#include <muster/driver/grid_barriers/splitting_backend.hpp>
#include <muster/driver/registry/registry.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {

Result<std::unique_ptr<Backend>> Registry::acquire(std::string_view id) const {
    return std::make_unique<grid_barriers::SplittingBackend>(TRY(construct(id)));
}

}  // namespace muster
