// Permutations of lanes.

#define SHUFFLE_NM(N, M, T, U) \
    T##N OVER shuffle(T##M x, U##N mask) { T##N r; for (int i = 0; i < N; i++) r[i] = x[mask[i] & (M - 1)]; return r; } \
    T##N OVER shuffle2(T##M x, T##M y, U##N mask) \
    { \
        T##N r; \
        for (int i = 0; i < N; i++) \
            r[i] = mask[i] & M ? y[mask[i] & (M - 1)] : x[mask[i] & (M - 1)]; \
        return r; \
    }
#define SHUFFLE_M(M, T, U) SHUFFLE_NM(2, M, T, U) SHUFFLE_NM(4, M, T, U) SHUFFLE_NM(8, M, T, U) SHUFFLE_NM(16, M, T, U)
#define SHUFFLE(T, U) SHUFFLE_M(2, T, U) SHUFFLE_M(4, T, U) SHUFFLE_M(8, T, U) SHUFFLE_M(16, T, U)
SHUFFLE(char, uchar) SHUFFLE(uchar, uchar) SHUFFLE(short, ushort) SHUFFLE(ushort, ushort)
SHUFFLE(int, uint) SHUFFLE(uint, uint) SHUFFLE(long, ulong) SHUFFLE(ulong, ulong)
SHUFFLE(float, uint) SHUFFLE(double, ulong)
