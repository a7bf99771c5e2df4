// Ranging at an optimum, which CLP's C interface does not offer. Each function gives
// an array to be freed: how far up each number may go, then how far down; or null where
// CLP cannot tell.
#include <cstdlib>
#include <numeric>
#include <vector>

#include "ClpSimplex.hpp"
#define CLP_EXTERN_C
#include "Coin_C_defines.h"

namespace {

// CLP's numbering has the columns first, then the rows.
struct Range {
  std::vector<int> which, up_at, down_at;
  double *ends;

  Range(int first, int count)
      : which(count), up_at(count), down_at(count), ends(static_cast<double *>(calloc(2 * count + 1, sizeof(double))))
  {
    std::iota(which.begin(), which.end(), first);
  }
  int count() const { return static_cast<int>(which.size()); }
  double *down() const { return ends + which.size(); }
  double *give(bool found)
  {
    if (!found) {
      free(ends);
      ends = nullptr;
    }
    return ends;
  }
};

} // namespace

extern "C" {

double *range_costs(Clp_Simplex *model)
{
  ClpSimplex *s = model->model_;
  Range r(0, s->numberColumns());
  return r.give(s->dualRanging(r.count(), r.which.data(), r.ends, r.up_at.data(), r.down(), r.down_at.data()) == 0);
}

double *range_rows(Clp_Simplex *model)
{
  ClpSimplex *s = model->model_;
  Range r(s->numberColumns(), s->numberRows());
  return r.give(s->primalRanging(r.count(), r.which.data(), r.ends, r.up_at.data(), r.down(), r.down_at.data()) == 0);
}

}
