// The declarations that programs in C can need. A line that begins with a colon in a comment begins a part: its name, and the
// types that instances have in their names, of which the last two are `$V` and `$X`. A part is for scalars, and what it
// says of them holds for each lane of vectors, or it is for vectors alone.
// Of the type `$T`: `$U` and `$S` are unsigned and signed, `$E` is a lane, `$H` has half its width, `$K` is `$H` without sign,
// `$W` is wide enough for a product; `$B` is its width, `$L` its least and `$M` its greatest number, `$N` the number of lanes, and
// `$F` the end of the names of its functions. `$P` is the number of lanes of `$V`.

//: printf
int printf(const char *, ...);
//: convert T V vectors
static $T convert_$T_$V($V a) { return __builtin_convertvector(a, $T); }
//: convert_sat T V
static $T convert_sat_$T_$V($V a) { return a < (__int128)$L ? $L : a > (__int128)$M ? $M : ($T)a; }
//: as T V
static $T as_$T_$V($V a) { $T r; __builtin_memcpy(&r, &a, sizeof r); return r; }
//: as T V vectors
static $T as_$T_$V($V a) { $T r; __builtin_memcpy(&r, &a, sizeof r); return r; }
//: vload T vectors
static $T vload_$T(int64 at, const $E *p) { $T r; __builtin_memcpy(&r, p + at * $N, sizeof r); return r; }
//: vstore T vectors
static void vstore_$T($T v, int64 at, $E *p) { __builtin_memcpy(p + at * $N, &v, sizeof v); }
//: cl_abs T
static $U cl_abs_$T($T a) { return a < 0 ? -($U)a : ($U)a; }
//: cl_abs_diff T
static $U cl_abs_diff_$T($T a, $T b) { return a < b ? ($U)b - ($U)a : ($U)a - ($U)b; }
//: cl_add_sat T
static $T cl_add_sat_$T($T a, $T b) { $T r; return __builtin_add_overflow(a, b, &r) ? a < 0 ? $L : $M : r; }
//: cl_sub_sat T
static $T cl_sub_sat_$T($T a, $T b) { $T r; return __builtin_sub_overflow(a, b, &r) ? $L == 0 || a < 0 ? $L : $M : r; }
//: cl_all T
static int32 cl_all_$T($T a) { return a < 0; }
//: cl_all T vectors
static int32 cl_all_$T($T a) { for (int32 i = 0; i < $N; i++) if (a[i] >= 0) return 0; return 1; }
//: cl_any T
static int32 cl_any_$T($T a) { return a < 0; }
//: cl_any T vectors
static int32 cl_any_$T($T a) { for (int32 i = 0; i < $N; i++) if (a[i] < 0) return 1; return 0; }
//: cl_bitselect T
static $T cl_bitselect_$T($T a, $T b, $T c) { return (a & ~c) | (b & c); }
//: cl_bitselect T vectors
static $T cl_bitselect_$T($T a, $T b, $T c) { return (a & ~c) | (b & c); }
//: cl_clamp T
static $T cl_clamp_$T($T a, $T b, $T c) { return a < b ? b : c < a ? c : a; }
//: cl_clz T
static $T cl_clz_$T($T a) { return a == 0 ? $B : $B == 64 ? __builtin_clzll(($U)a) : __builtin_clz(($U)a) - (32 - $B); }
//: cl_ctz T
static $T cl_ctz_$T($T a) { return a == 0 ? $B : $B == 64 ? __builtin_ctzll(($U)a) : __builtin_ctz(($U)a); }
//: cl_hadd T
static $T cl_hadd_$T($T a, $T b) { return (a >> 1) + (b >> 1) + (a & b & 1); }
//: cl_rhadd T
static $T cl_rhadd_$T($T a, $T b) { return (a >> 1) + (b >> 1) + ((a | b) & 1); }
//: cl_mul24 T
static $T cl_mul24_$T($T a, $T b) { return ($T)(($U)(($T)(($U)a << 8) >> 8) * ($U)(($T)(($U)b << 8) >> 8)); }
//: cl_mad24 T
static $T cl_mad24_$T($T a, $T b, $T c) { return ($T)(($U)cl_mul24_$T(a, b) + ($U)c); }
//: cl_mul_hi T
static $T cl_mul_hi_$T($T a, $T b) { return ($T)(($W)a * ($W)b >> $B); }
//: cl_mad_hi T
static $T cl_mad_hi_$T($T a, $T b, $T c) { return ($T)(($U)cl_mul_hi_$T(a, b) + ($U)c); }
//: cl_mad_sat T
static $T cl_mad_sat_$T($T a, $T b, $T c) { $W r = ($W)a * ($W)b + ($W)c; return r < ($W)$L ? $L : r > ($W)$M ? $M : ($T)r; }
//: cl_max T
static $T cl_max_$T($T a, $T b) { return a < b ? b : a; }
//: cl_max T vectors
static $T cl_max_$T($T a, $T b) { $S m = ($S)(a < b); return ($T)((($S)a & ~m) | (($S)b & m)); }
//: cl_min T
static $T cl_min_$T($T a, $T b) { return b < a ? b : a; }
//: cl_min T vectors
static $T cl_min_$T($T a, $T b) { $S m = ($S)(b < a); return ($T)((($S)a & ~m) | (($S)b & m)); }
//: cl_popcount T
static $T cl_popcount_$T($T a) { return $B == 64 ? __builtin_popcountll(($U)a) : __builtin_popcount(($U)a); }
//: cl_rotate T
static $T cl_rotate_$T($T a, $T b) { int32 by = b & ($B - 1); return ($T)(($U)a << by | ($U)a >> (-by & ($B - 1))); }
//: cl_select T V
static $T cl_select_$T_$V($T a, $T b, $V c) { return c ? b : a; }
//: cl_select T V vectors
static $T cl_select_$T_$V($T a, $T b, $V c) { $S m = ($S)(($S)c < ($S){0}); return ($T)((($S)a & ~m) | (($S)b & m)); }
//: cl_shuffle T V X vectors
static $T cl_shuffle_$T_$V_$X($V a, $X b) { $T r = {0}; for (int32 i = 0; i < $N; i++) r[i] = a[b[i] & ($P - 1)]; return r; }
//: cl_shuffle2 T V X vectors
static $T cl_shuffle2_$T_$V_$X($V a, $V b, $X c) { $T r = {0}; for (int32 i = 0; i < $N; i++) { int32 at = c[i] & (2 * $P - 1); r[i] = at < $P ? a[at] : b[at - $P]; } return r; }
//: cl_upsample T
static $T cl_upsample_$T($H a, $K b) { return ($T)(($U)a << $B / 2 | b); }
//: cl_ceil T
static $T cl_ceil_$T($T a) { return __builtin_ceil$F(a); }
//: cl_fabs T
static $T cl_fabs_$T($T a) { return __builtin_fabs$F(a); }
//: cl_floor T
static $T cl_floor_$T($T a) { return __builtin_floor$F(a); }
//: cl_rint T
static $T cl_rint_$T($T a) { return __builtin_rint$F(a); }
//: cl_round T
static $T cl_round_$T($T a) { return __builtin_round$F(a); }
//: cl_trunc T
static $T cl_trunc_$T($T a) { return __builtin_trunc$F(a); }
//: cl_copysign T
static $T cl_copysign_$T($T a, $T b) { return __builtin_copysign$F(a, b); }
//: cl_fdim T
static $T cl_fdim_$T($T a, $T b) { return __builtin_fdim$F(a, b); }
//: cl_fmax T
static $T cl_fmax_$T($T a, $T b) { return __builtin_fmax$F(a, b); }
//: cl_fmin T
static $T cl_fmin_$T($T a, $T b) { return __builtin_fmin$F(a, b); }
//: cl_fma T
static $T cl_fma_$T($T a, $T b, $T c) { return __builtin_fma$F(a, b, c); }
//: cl_mad T
static $T cl_mad_$T($T a, $T b, $T c) { return a * b + c; }
//: note
static uint64 note(uint64 hash, uint64 value) { hash ^= value; return (hash ^ (hash >> 29)) * 0x100000001b3ULL; }
//: note T vectors
static uint64 note_$T(uint64 hash, $T v) { for (int32 i = 0; i < $N; i++) hash = note(hash, (uint64)v[i]); return hash; }
