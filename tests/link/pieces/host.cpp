// Opens libraries apart from one another, as a host opens its extensions, and prints what each one's driver has registered.
//   host FILE...         with RTLD_LOCAL, all before the first is asked
//   host apart FILE      in a namespace of its own (dlmopen): prints the files that its backends are in
// If it has a driver of its own (-DOWN), that is asked first.
#include <cstdio>
#include <cstring>
#include <vector>

#include <dlfcn.h>

#ifdef OWN
extern "C" void print_own();
#endif

namespace {

/// Calls a function of a library that prints; one that has none prints nothing.
void call(void* library, const char* function, const char*& separator) {
    void* const found = dlsym(library, function);
    if (found == nullptr) return;
    std::fputs(separator, stdout);
    std::fflush(stdout);
    separator = " | ";
    reinterpret_cast<void (*)()>(found)();
}

}  // namespace

int main(int count, char** arguments) {
    const char* separator = "";
    if (count == 3 && std::strcmp(arguments[1], "apart") == 0) {
        void* const library = dlmopen(LM_ID_NEWLM, arguments[2], RTLD_NOW);
        if (library == nullptr) return std::fputs(dlerror(), stdout), 1;
        call(library, "print_own_modules", separator);
        return 0;
    }
    std::vector<void*> libraries;
    for (int i = 1; i < count; ++i) {
        libraries.push_back(dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL));
        if (libraries.back() == nullptr) return std::fputs(dlerror(), stdout), 1;
    }
#ifdef OWN
    print_own();
    separator = " | ";
#endif
    for (void* const library : libraries) call(library, "print_own", separator);
}
