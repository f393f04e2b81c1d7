// How the kernels get at buffers. GUARDED: as the language of muster has it, a load from outside gives zero, a store to
// outside does nothing. Otherwise as they are. EXACT: nothing is contracted.
#ifdef GUARDED
#define LOAD(from, i) ((i) < uint(from.length()) ? from[i] : 0)
#define STORE(to, i, what) \
    if ((i) < uint(to.length())) to[i] = what
#else
#define LOAD(from, i) from[i]
#define STORE(to, i, what) to[i] = what
#endif

#ifdef EXACT
#define PRECISE precise
#else
#define PRECISE
#endif
