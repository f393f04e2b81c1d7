#include <sys/auxv.h>
#include <unistd.h>

#include <muster/driver/platform/environment_variable.hpp>

extern char** environ;

namespace muster::platform {

bool has_foreign_rights() {
    static const bool has = getauxval(AT_SECURE) != 0;
    return has;
}

char** inherited_environment() { return environ; }

}  // namespace muster::platform
