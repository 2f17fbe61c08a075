template <class T0> struct vector {
  T0 *p = 0;
  unsigned long n = 0;
  struct element {
    T0 value;
    template <class... A> element(A &&...a) : value((A &&)a...) {}
    static void *operator new(decltype(sizeof(0)), void *at) { return at; }
  };
  typedef T0 value_type;
  typedef T0 *pointer;
  typedef T0 &reference;
  typedef const T0 &const_reference;
  typedef T0 *iterator;
  typedef const T0 *const_iterator;
  typedef unsigned long size_type;
  typedef long difference_type;
  vector() {}
  explicit vector(unsigned long k) { while (n < k) emplace_back(); }
  vector(unsigned long k, const T0 &x) { while (n < k) push_back(x); }
  template <class I, class = decltype(*I())> vector(I i, I end) { for (; i != end; ++i) push_back(*i); }
  vector(std::initializer_list<T0> l) { for (const T0 *i = l.begin(); i != l.end(); ++i) push_back(*i); }
  vector(const vector &o) { for (unsigned long i = 0; i < o.n; ++i) push_back(o.p[i]); }
  vector(vector &&o) : p(o.p), n(o.n) { o.p = 0; o.n = 0; }
  vector &operator=(vector o) { swap(o); return *this; }
  ~vector() { clear(); ::operator delete(p); }
  template <class... A> T0 &emplace_back(A &&...a) {
    element *q = (element *)::operator new((n + 1) * sizeof(element));
    new (q + n) element((A &&)a...);
    for (unsigned long i = 0; i < n; ++i) { new (q + i) element((T0 &&)p[i]); p[i].~T0(); }
    ::operator delete(p);
    p = (T0 *)q;
    return p[n++];
  }
  void push_back(const T0 &x) { emplace_back(x); }
  void push_back(T0 &&x) { emplace_back((T0 &&)x); }
  void pop_back() { p[--n].~T0(); }
  void clear() { while (n) p[--n].~T0(); }
  void reserve(unsigned long) {}
  void resize(unsigned long k) { while (n > k) p[--n].~T0(); while (n < k) emplace_back(); }
  void resize(unsigned long k, const T0 &x) { while (n > k) p[--n].~T0(); while (n < k) push_back(x); }
  void assign(unsigned long k, const T0 &x) { clear(); while (n < k) push_back(x); }
  void swap(vector &o) { T0 *q = p; unsigned long k = n; p = o.p; n = o.n; o.p = q; o.n = k; }
  T0 *insert(const T0 *at, const T0 &x) {
    unsigned long k = at - p;
    push_back(x);
    for (unsigned long i = n - 1; i > k; --i) { T0 y((T0 &&)p[i]); p[i] = (T0 &&)p[i - 1]; p[i - 1] = (T0 &&)y; }
    return p + k;
  }
  T0 *erase(const T0 *at) {
    for (T0 *i = p + (at - p); i + 1 < p + n; ++i) *i = (T0 &&)i[1];
    p[--n].~T0();
    return p + (at - p);
  }
  T0 *begin() { return p; }
  const T0 *begin() const { return p; }
  const T0 *cbegin() const { return p; }
  T0 *end() { return p + n; }
  const T0 *end() const { return p + n; }
  const T0 *cend() const { return p + n; }
  T0 *data() { return p; }
  const T0 *data() const { return p; }
  T0 &operator[](unsigned long i) { return p[i]; }
  const T0 &operator[](unsigned long i) const { return p[i]; }
  T0 &at(unsigned long i) { return p[i]; }
  const T0 &at(unsigned long i) const { return p[i]; }
  T0 &front() { return *p; }
  const T0 &front() const { return *p; }
  T0 &back() { return p[n - 1]; }
  const T0 &back() const { return p[n - 1]; }
  unsigned long size() const { return n; }
  unsigned long capacity() const { return n; }
  bool empty() const { return !n; }
};
