// Keeps CLP to arithmetic that gives the same bits on every machine. It needs C++:
// Clp_C_Interface.h does not reach the factorization.
#ifdef __cplusplus
extern "C" {
#endif

// make_portable has a Clp_Simplex leave LAPACK alone.
void make_portable(void *model);

#ifdef __cplusplus
}
#endif
