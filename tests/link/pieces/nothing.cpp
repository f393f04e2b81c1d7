// A module that includes the header and submits nothing.
#include <muster/driver/inventory.hpp>

int nothing();
int nothing() { return 0; }
