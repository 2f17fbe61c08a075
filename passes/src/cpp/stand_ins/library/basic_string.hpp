template <class T0, class T1> struct basic_string {
  T0 *p = new T0[1]{};
  unsigned long n = 0;
  static const unsigned long npos = -1;
  typedef T0 value_type;
  typedef T1 traits_type;
  typedef T0 *pointer;
  typedef T0 &reference;
  typedef const T0 &const_reference;
  typedef T0 *iterator;
  typedef const T0 *const_iterator;
  typedef unsigned long size_type;
  typedef long difference_type;
  basic_string() {}
  basic_string(const T0 *s) { append(s); }
  basic_string(const T0 *s, unsigned long k) { append(s, k); }
  basic_string(unsigned long k, T0 c) { while (k--) push_back(c); }
  template <class I, class = decltype(*I())> basic_string(I i, I end) { for (; i != end; ++i) push_back(*i); }
  explicit basic_string(std::basic_string_view<T0, T1> s) { append(s.data(), s.size()); }
  basic_string(const basic_string &o) { append(o.p, o.n); }
  basic_string &operator=(const basic_string &o) { basic_string s(o); swap(s); return *this; }
  ~basic_string() { delete[] p; }
  operator std::basic_string_view<T0, T1>() const { return std::basic_string_view<T0, T1>(p, n); }
  void push_back(T0 c) {
    T0 *q = new T0[n + 2]{};
    for (unsigned long i = 0; i < n; ++i) q[i] = p[i];
    q[n++] = c;
    delete[] p;
    p = q;
  }
  void pop_back() { p[--n] = 0; }
  basic_string &append(const T0 *s, unsigned long k) { while (k--) push_back(*s++); return *this; }
  basic_string &append(const T0 *s) { while (*s) push_back(*s++); return *this; }
  basic_string &append(const basic_string &o) { basic_string s(o.p, o.n); return append(s.p, s.n); }
  basic_string &append(unsigned long k, T0 c) { while (k--) push_back(c); return *this; }
  basic_string &operator+=(const basic_string &o) { return append(o); }
  basic_string &operator+=(const T0 *s) { return append(s); }
  basic_string &operator+=(T0 c) { push_back(c); return *this; }
  basic_string &assign(const T0 *s, unsigned long k) { clear(); return append(s, k); }
  void swap(basic_string &o) { T0 *q = p; unsigned long k = n; p = o.p; n = o.n; o.p = q; o.n = k; }
  void clear() { n = 0; *p = 0; }
  void reserve(unsigned long) {}
  void resize(unsigned long k) { while (n > k) p[--n] = 0; while (n < k) push_back(0); }
  T0 *begin() { return p; }
  const T0 *begin() const { return p; }
  T0 *end() { return p + n; }
  const T0 *end() const { return p + n; }
  const T0 *data() const { return p; }
  const T0 *c_str() const { return p; }
  T0 &operator[](unsigned long i) { return p[i]; }
  const T0 &operator[](unsigned long i) const { return p[i]; }
  T0 &at(unsigned long i) { return p[i]; }
  const T0 &at(unsigned long i) const { return p[i]; }
  T0 &front() { return *p; }
  const T0 &front() const { return *p; }
  T0 &back() { return p[n - 1]; }
  const T0 &back() const { return p[n - 1]; }
  unsigned long size() const { return n; }
  unsigned long length() const { return n; }
  unsigned long capacity() const { return n; }
  bool empty() const { return !n; }
  basic_string substr(unsigned long i = 0, unsigned long k = -1) const { return basic_string(p + i, k < n - i ? k : n - i); }
  unsigned long find(T0 c, unsigned long i = 0) const { while (i < n && p[i] != c) ++i; return i < n ? i : -1; }
  unsigned long find(const basic_string &o, unsigned long i = 0) const {
    for (; i + o.n <= n; ++i) if (substr(i, o.n).compare(o) == 0) return i;
    return -1;
  }
  unsigned long rfind(T0 c) const { unsigned long i = n; while (i && p[i - 1] != c) --i; return i - 1; }
  unsigned long copy(T0 *s, unsigned long k, unsigned long i = 0) const {
    unsigned long j = 0;
    for (; j < k && i + j < n; ++j) s[j] = p[i + j];
    return j;
  }
  basic_string &replace(unsigned long i, unsigned long k, const basic_string &o) {
    basic_string s(p, i);
    s.append(o);
    if (k < n - i) s.append(p + i + k, n - i - k);
    swap(s);
    return *this;
  }
  basic_string &insert(unsigned long i, const basic_string &o) { return replace(i, 0, o); }
  basic_string &erase(unsigned long i = 0, unsigned long k = -1) { return replace(i, k, basic_string()); }
  int compare(const basic_string &o) const {
    unsigned long i = 0;
    while (i < n && i < o.n && p[i] == o.p[i]) ++i;
    return i < n ? i < o.n && p[i] < o.p[i] ? -1 : 1 : i < o.n ? -1 : 0;
  }
};
