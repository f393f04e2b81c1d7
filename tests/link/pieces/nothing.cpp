// A module that includes the header and submits nothing.
#include <muster/driver/contract/inventory.hpp>

int nothing();
int nothing() { return 0; }
