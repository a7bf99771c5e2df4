// WebAssembly as it is everywhere has no C++ exceptions: whatever throws traps,
// and the host makes a new instance. CLP throws only where it finds itself broken.
#include <cstddef>
#include <cstdlib>

extern "C" {
void *__cxa_allocate_exception(size_t size) { return malloc(size); }
void __cxa_free_exception(void *) {}
void __cxa_throw(void *, void *, void (*)(void *)) { __builtin_trap(); }
void __cxa_rethrow() { __builtin_trap(); }
void *__cxa_begin_catch(void *) { return nullptr; }
void __cxa_end_catch() {}
}
