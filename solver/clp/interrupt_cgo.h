// The event handler that lets one goroutine stop a solve that another started.
// It needs C++: Clp_C_Interface.h has no way to register one.
#ifdef __cplusplus
extern "C" {
#endif

// watch_model gives a Clp_Simplex a flag, and a handler that stops it when the
// flag is up. Call it once, before any solve.
void watch_model(void *model);

// raise_flag puts the flag up or down; it may be called while the model solves.
void raise_flag(void *model, int up);

// forget_flag frees the flag; call it after the model is deleted, with the
// pointer that flag_of gave before.
void *flag_of(void *model);
void forget_flag(void *flag);

#ifdef __cplusplus
}
#endif
