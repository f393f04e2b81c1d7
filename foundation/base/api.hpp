// api.hpp - marks what libmuster exports. It is built with hidden visibility: nothing else can be linked.
//
//     namespace muster {
//     MUSTER_API_BEGIN  // everything declared up to MUSTER_API_END
//     ...
//     MUSTER_API_END
//     }
//
// A single declaration can be marked MUSTER_API. A namespace can't: Clang wouldn't export what
// another block of it defines.
#pragma once

#if defined(_WIN32)
#define MUSTER_API
#define MUSTER_API_BEGIN
#define MUSTER_API_END
#else
#define MUSTER_API [[gnu::visibility("default")]]
#define MUSTER_API_BEGIN _Pragma("GCC visibility push(default)")
#define MUSTER_API_END _Pragma("GCC visibility pop")
#endif
