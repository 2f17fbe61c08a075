// Vector loads and stores by pointers into whichever address space, as OpenCL C 2.0 declares them.

#define VLOAD_N(N, T) \
    T##N OVER vload##N(size_t o, const __generic T *p) { T##N r; for (int i = 0; i < N; i++) r[i] = p[o * N + i]; return r; }
#define VSTORE_N(N, T) \
    void OVER vstore##N(T##N v, size_t o, __generic T *p) { for (int i = 0; i < N; i++) p[o * N + i] = v[i]; }
#define VMEMORY(T) WIDTHS(VLOAD_N, T) WIDTHS(VSTORE_N, T)
VMEMORY(char) VMEMORY(uchar) VMEMORY(short) VMEMORY(ushort) VMEMORY(int) VMEMORY(uint)
VMEMORY(long) VMEMORY(ulong) VMEMORY(float) VMEMORY(double)
