// double.h - the backend of double.c, and what it has been given.
#pragma once

#include <muster/muster_backend.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct double_seen {
    int open_devices, executables, memories;
    uint32_t form, flags, stride, length, extent, value;
    size_t option_count;
    int text_ends, has_address, value_is_aligned;
    char entry[64];
} double_seen;
extern double_seen double_has_seen;
extern const muster_backend_table double_table;

#ifdef __cplusplus
}
#endif
