template <class T0> struct numeric_limits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = (T0)1 / 2 == 0;
  static constexpr bool is_signed = (T0)-1 < (T0)0;
  static constexpr bool is_exact = is_integer;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = is_integer && !is_signed && (T0)2 != (T0)1;
  static constexpr bool is_iec559 = !is_integer;
  static constexpr bool has_infinity = !is_integer;
  static constexpr bool has_quiet_NaN = !is_integer;
  static constexpr bool has_signaling_NaN = !is_integer;
  static constexpr int radix = 2;
  static constexpr int digits = (T0)2 == (T0)1 ? 1 : is_integer ? sizeof(T0) * 8 - is_signed : sizeof(T0) == 4 ? 24 : sizeof(T0) == 8 ? 53 : 64;
  static constexpr int digits10 = is_integer ? digits * 3 / 10 : (digits - 1) * 3 / 10;
  static constexpr int max_digits10 = is_integer ? 0 : digits * 3 / 10 + 2;
  static constexpr int max_exponent = is_integer ? 0 : sizeof(T0) == 4 ? 128 : sizeof(T0) == 8 ? 1024 : 16384;
  static constexpr int min_exponent = is_integer ? 0 : 3 - max_exponent;
  static constexpr T0 max() noexcept { return is_integer ? (T0)(~0ULL >> (64 - digits)) : (T0)(sizeof(T0) == 4 ? 3.40282346638528859811704183484516925e+38F : sizeof(T0) == 8 ? 1.79769313486231570814527423731704357e+308 : 1.18973149535723176502126385303097021e+4932L); }
  static constexpr T0 min() noexcept { return is_integer ? is_signed ? (T0)(-max() - 1) : (T0)0 : (T0)(sizeof(T0) == 4 ? 1.17549435082228750796873653722224568e-38F : sizeof(T0) == 8 ? 2.22507385850720138309023271733240406e-308 : 3.36210314311209350626267781732175260e-4932L); }
  static constexpr T0 lowest() noexcept { return is_integer ? min() : (T0)-max(); }
  static constexpr T0 epsilon() noexcept { return is_integer ? (T0)0 : (T0)(sizeof(T0) == 4 ? 1.19209289550781250000000000000000000e-7F : sizeof(T0) == 8 ? 2.22044604925031308084726333618164062e-16 : 1.08420217248550443400745280086994171e-19L); }
  static constexpr T0 denorm_min() noexcept { return is_integer ? (T0)0 : (T0)(sizeof(T0) == 4 ? 1.40129846432481707092372958328991613e-45F : sizeof(T0) == 8 ? 4.94065645841246544176568792868221372e-324 : 3.64519953188247460252840593361941982e-4951L); }
  static constexpr T0 round_error() noexcept { return is_integer ? (T0)0 : (T0)0.5; }
  static constexpr T0 infinity() noexcept { return is_integer ? (T0)0 : (T0)__builtin_huge_val(); }
  static constexpr T0 quiet_NaN() noexcept { return is_integer ? (T0)0 : (T0)__builtin_nan(""); }
  static constexpr T0 signaling_NaN() noexcept { return is_integer ? (T0)0 : (T0)__builtin_nans(""); }
};
