template <class T0, class T1> struct basic_string_view {
  const T0 *p = 0;
  unsigned long n = 0;
  static const unsigned long npos = -1;
  typedef T0 value_type;
  typedef T1 traits_type;
  typedef const T0 *pointer;
  typedef const T0 &reference;
  typedef const T0 &const_reference;
  typedef const T0 *iterator;
  typedef const T0 *const_iterator;
  typedef unsigned long size_type;
  typedef long difference_type;
  constexpr basic_string_view() {}
  constexpr basic_string_view(const T0 *s) : p(s) { while (s[n]) ++n; }
  constexpr basic_string_view(const T0 *s, unsigned long k) : p(s), n(k) {}
  constexpr const T0 *begin() const { return p; }
  constexpr const T0 *end() const { return p + n; }
  constexpr const T0 *data() const { return p; }
  constexpr const T0 &operator[](unsigned long i) const { return p[i]; }
  constexpr const T0 &front() const { return *p; }
  constexpr const T0 &back() const { return p[n - 1]; }
  constexpr unsigned long size() const { return n; }
  constexpr unsigned long length() const { return n; }
  constexpr bool empty() const { return !n; }
  constexpr void remove_prefix(unsigned long k) { p += k; n -= k; }
  constexpr void remove_suffix(unsigned long k) { n -= k; }
  constexpr basic_string_view substr(unsigned long i = 0, unsigned long k = -1) const { return basic_string_view(p + i, k < n - i ? k : n - i); }
  constexpr unsigned long find(T0 c, unsigned long i = 0) const { while (i < n && p[i] != c) ++i; return i < n ? i : -1; }
  constexpr unsigned long find(basic_string_view o, unsigned long i = 0) const {
    for (; i + o.n <= n; ++i) if (substr(i, o.n).compare(o) == 0) return i;
    return -1;
  }
  constexpr int compare(basic_string_view o) const {
    unsigned long i = 0;
    while (i < n && i < o.n && p[i] == o.p[i]) ++i;
    return i < n ? i < o.n && p[i] < o.p[i] ? -1 : 1 : i < o.n ? -1 : 0;
  }
};
