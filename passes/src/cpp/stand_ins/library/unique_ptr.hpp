template <class T0, class T1> struct unique_ptr {
  T0 *p;
  typedef T0 *pointer;
  typedef T0 element_type;
  unique_ptr(decltype(nullptr) = nullptr) : p(0) {}
  explicit unique_ptr(T0 *q) : p(q) {}
  unique_ptr(unique_ptr &&o) : p(o.release()) {}
  template <class T, class D> unique_ptr(unique_ptr<T, D> &&o) : p(o.release()) {}
  unique_ptr &operator=(unique_ptr &&o) { reset(o.release()); return *this; }
  ~unique_ptr() { delete p; }
  T0 *get() const { return p; }
  T0 *release() { T0 *q = p; p = 0; return q; }
  void reset(T0 *q = 0) { delete p; p = q; }
  void swap(unique_ptr &o) { T0 *q = p; p = o.p; o.p = q; }
  T0 &operator*() const { return *p; }
  T0 *operator->() const { return p; }
  explicit operator bool() const { return p; }
};
