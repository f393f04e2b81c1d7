// api.hpp - marks what libmuster exports. It is built with hidden visibility: nothing else can be linked.
//
//     namespace MUSTER_API muster {  // everything that this block declares
//     ...
//     }
//
// A nested name such as muster::wgsl can't be marked like that: MUSTER_API_BEGIN and MUSTER_API_END go inside.
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
