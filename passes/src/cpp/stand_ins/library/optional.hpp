template <class T0> struct optional {
  T0 *p = 0;
  typedef T0 value_type;
  optional() {}
  optional(std::nullopt_t) {}
  optional(const optional &o) : p(o.p ? new T0(*o.p) : 0) {}
  optional(optional &o) : optional((const optional &)o) {}
  optional(optional &&o) : p(o.p) { o.p = 0; }
  template <class T = T0> optional(T &&x) : p(new T0((T &&)x)) {}
  optional &operator=(optional o) { swap(o); return *this; }
  ~optional() { delete p; }
  template <class... A> T0 &emplace(A &&...a) { reset(); return *(p = new T0((A &&)a...)); }
  void swap(optional &o) { T0 *q = p; p = o.p; o.p = q; }
  void reset() { delete p; p = 0; }
  T0 &operator*() const { return *p; }
  T0 *operator->() const { return p; }
  T0 &value() const { return *p; }
  T0 value_or(T0 x) const { return p ? *p : x; }
  bool has_value() const { return p; }
  explicit operator bool() const { return p; }
};
