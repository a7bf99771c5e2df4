//go:build cgo && !noclp && !js

#include <atomic>

#include <ClpEventHandler.hpp>
#include <ClpSimplex.hpp>
#define CLP_EXTERN_C
#include <Coin_C_defines.h>

#include "interrupt_cgo.h"

namespace {

typedef std::atomic<int> Flag;

class Interrupter : public ClpEventHandler {
public:
  explicit Interrupter(Flag *flag) : flag_(flag) {}

  // A value from 0 on stops the simplex with status 5.
  int event(Event which) override
  {
    if (which != endOfIteration && which != endOfFactorization)
      return -1;
    return flag_->load(std::memory_order_relaxed) ? 0 : -1;
  }

  // CLP keeps a copy, and so do its copies of a model; all share the flag.
  ClpEventHandler *clone() const override { return new Interrupter(*this); }

private:
  Flag *flag_;
};

ClpSimplex *simplex_of(void *model) { return static_cast<Clp_Simplex *>(model)->model_; }

} // namespace

void watch_model(void *model)
{
  Flag *flag = new Flag(0);
  simplex_of(model)->setUserPointer(flag);
  Interrupter handler(flag);
  simplex_of(model)->passInEventHandler(&handler);
}

void *flag_of(void *model) { return simplex_of(model)->getUserPointer(); }

void raise_flag(void *model, int up)
{
  static_cast<Flag *>(flag_of(model))->store(up, std::memory_order_relaxed);
}

void forget_flag(void *flag) { delete static_cast<Flag *>(flag); }
