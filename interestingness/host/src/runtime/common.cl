// What the parts of the run-time share; each is compiled after this text, by the same clang, for the same
// target and with the same sanitizer as the kernel, so that names, calling conventions and shadow memory
// fit. Each built-in does element by element what the specification says. One that is missing shows up as
// an undefined symbol, and the check says so.

#define OVER __attribute__((overloadable))

// From runtime.c: a clamp whose bounds are the wrong way round, as a whole and in a lane, whose value may
// go unused; floating-point numbers that an integer type cannot hold; and numbers that have
// more than 24 bits.
void clreduce_clamp_range(void);
uchar clreduce_undefined_clamp_i8(void);
ushort clreduce_undefined_clamp_i16(void);
uint clreduce_undefined_clamp_i32(void);
ulong clreduce_undefined_clamp_i64(void);
uint clreduce_undefined_factor_i32(void);
uint clreduce_undefined_truth_i32(void);
uchar clreduce_undefined_conversion_i8(void);
ushort clreduce_undefined_conversion_i16(void);
uint clreduce_undefined_conversion_i32(void);
ulong clreduce_undefined_conversion_i64(void);

// A whole number between two powers of two.
#define TO_INTEGER(R, BITS, X, LOW, ABOVE) \
    ((X) >= (LOW) && (X) < (ABOVE) ? (R)(X) : (R)clreduce_undefined_conversion_i##BITS())

#define WIDTHS(M, ...) M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(8, __VA_ARGS__) M(16, __VA_ARGS__)

#define MAP1_N(N, NAME, R, T) \
    R##N OVER NAME(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = NAME(a[i]); return r; }
#define MAP2_N(N, NAME, R, T) \
    R##N OVER NAME(T##N a, T##N b) { R##N r; for (int i = 0; i < N; i++) r[i] = NAME(a[i], b[i]); return r; }
#define MAP3_N(N, NAME, R, T) \
    R##N OVER NAME(T##N a, T##N b, T##N c) { R##N r; for (int i = 0; i < N; i++) r[i] = NAME(a[i], b[i], c[i]); return r; }
#define MAP2S_N(N, NAME, R, T) \
    R##N OVER NAME(T##N a, T b) { R##N r; for (int i = 0; i < N; i++) r[i] = NAME(a[i], b); return r; }
#define MAP3S_N(N, NAME, R, T) \
    R##N OVER NAME(T##N a, T b, T c) { R##N r; for (int i = 0; i < N; i++) r[i] = NAME(a[i], b, c); return r; }
#define MAP1(NAME, R, T) WIDTHS(MAP1_N, NAME, R, T)
#define MAP2(NAME, R, T) WIDTHS(MAP2_N, NAME, R, T)
#define MAP3(NAME, R, T) WIDTHS(MAP3_N, NAME, R, T)
#define MAP2S(NAME, R, T) WIDTHS(MAP2S_N, NAME, R, T)
#define MAP3S(NAME, R, T) WIDTHS(MAP3S_N, NAME, R, T)


// A scalar condition counts as a whole, that of a vector by its most significant bit.
#define SELECT_N(N, T, C, SIGNED) \
    T##N OVER select(T##N a, T##N b, C##N c) { T##N r; for (int i = 0; i < N; i++) r[i] = (SIGNED)c[i] < 0 ? b[i] : a[i]; return r; }
#define SELECT(T, C, SIGNED) \
    T OVER select(T a, T b, C c) { return c ? b : a; } \
    WIDTHS(SELECT_N, T, C, SIGNED)

#define CLAMP_N(N, T) \
    T##N OVER clamp(T##N x, T##N low, T##N high) { T##N r; for (int i = 0; i < N; i++) r[i] = clreduce_lane(x[i], low[i], high[i]); return r; } \
    T##N OVER clamp(T##N x, T low, T high) { T##N r; for (int i = 0; i < N; i++) r[i] = clreduce_lane(x[i], low, high); return r; }
