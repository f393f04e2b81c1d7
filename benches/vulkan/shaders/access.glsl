// Access to buffers. GUARDED: as in muster's language, a load out of bounds gives zero, and a store does nothing;
// otherwise there are no checks. EXACT: nothing is contracted.
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
