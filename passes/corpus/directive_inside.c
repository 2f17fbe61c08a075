int a[] = {
#if 1
  1,
#else
  2,
#endif
};
void f(int x
#ifdef Y
  , int y
#endif
) { g(
#include "x.inc"
); #pragma unroll
#pragma unroll
  for (;;) { } }
