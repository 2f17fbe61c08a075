#include <cstdio>
template <typename T> __global__ __launch_bounds__(64, 2) void add(T *__restrict__ a, const T *b) {
  __shared__ T cache[64]; int i = threadIdx.x + blockIdx.x * blockDim.x;
  cache[threadIdx.x] = b[i]; __syncthreads(); a[i] += cache[0];
}
__device__ inline int twice(int &x) { return x * 2; }
struct Point { int x, y; Point() : x(1), y(twice(x)) {} ~Point() = default; };
int main() {
  int *a, *b; cudaMalloc(&a, 64 * sizeof(int)); auto f = [&](int k) { return k + 1; };
  add<int><<<dim3(1, 1), 64, 0>>>(a, b); if (int e = cudaGetLastError(); e) { printf("%d\n", e); }
  for (auto v : {1, 2}) { f(v); } try { delete new Point(); } catch (...) { } return 0;
}
