/* What autoconf would find out about wasm32-wasi, for CoinUtils and CLP alike.
   LAPACK is left out, as CLP without it answers the same bits on any machine. */
#define COIN_INT64_T int64_t
#define COIN_UINT64_T uint64_t
#define COIN_INTPTR_T intptr_t
#define COIN_C_FINITE std::isfinite
#define COIN_C_ISNAN std::isnan
#define HAVE_CFLOAT 1
#define HAVE_CINTTYPES 1
#define HAVE_CMATH 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1
#define HAVE_UNISTD_H 1

#define COIN_HAS_COINUTILS 1
#define COINUTILS_VERSION "2.11.4"
#define COINUTILS_VERSION_MAJOR 2
#define COINUTILS_VERSION_MINOR 11
#define COINUTILS_VERSION_RELEASE 4
#define COIN_COINUTILS_CHECKLEVEL 0
#define COIN_COINUTILS_VERBOSITY 0

#define COIN_HAS_CLP 1
#define CLP_VERSION "1.17.6"
#define CLP_VERSION_MAJOR 1
#define CLP_VERSION_MINOR 17
#define CLP_VERSION_RELEASE 6
#define COIN_CLP_CHECKLEVEL 0
#define COIN_CLP_VERBOSITY 0
