//go:build cgo && !noclp && !js

#include <ClpFactorization.hpp>
#include <ClpSimplex.hpp>
#define CLP_EXTERN_C
#include <Coin_C_defines.h>

#include "portable_cgo.h"

void make_portable(void *model)
{
  static_cast<Clp_Simplex *>(model)->model_->factorization()->setDenseThreshold(0);
}
