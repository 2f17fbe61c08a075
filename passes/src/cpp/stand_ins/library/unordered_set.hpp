template <class T0> struct unordered_set {
  typedef T0 key_type;
  typedef T0 value_type;
  struct element {
    value_type value;
    template <class... A> element(A &&...a) : value((A &&)a...) {}
    static void *operator new(decltype(sizeof(0)), void *at) { return at; }
  };
  value_type *p = 0;
  unsigned long n = 0;
  typedef value_type *iterator;
  typedef const value_type *const_iterator;
  typedef unsigned long size_type;
  unordered_set() {}
  unordered_set(std::initializer_list<value_type> l) { for (const value_type *i = l.begin(); i != l.end(); ++i) insert(*i); }
  unordered_set(const unordered_set &o) { for (unsigned long i = 0; i < o.n; ++i) insert(o.p[i]); }
  unordered_set(unordered_set &&o) : p(o.p), n(o.n) { o.p = 0; o.n = 0; }
  unordered_set &operator=(unordered_set o) { swap(o); return *this; }
  ~unordered_set() { clear(); ::operator delete(p); }
  value_type *place(const T0 &k) const { value_type *i = p; while (i != p + n && !(*i == k)) ++i; return i; }
  bool has(const value_type *i, const T0 &k) const { return i != p + n && *i == k; }
  template <class... A> value_type *add(value_type *at, A &&...a) {
    element *q = (element *)::operator new((n + 1) * sizeof(element));
    unsigned long k = at - p;
    new (q + k) element((A &&)a...);
    for (unsigned long i = 0; i < n; ++i) { new (q + i + (i >= k)) element((value_type &&)p[i]); p[i].~value_type(); }
    ::operator delete(p);
    p = (value_type *)q;
    ++n;
    return p + k;
  }
  std::pair<value_type *, bool> insert(const T0 &k) {
    value_type *i = place(k);
    bool is_new = !has(i, k);
    return std::pair<value_type *, bool>(is_new ? add(i, k) : i, is_new);
  }
  template <class... A> std::pair<value_type *, bool> emplace(A &&...a) { return insert(T0((A &&)a...)); }
  unsigned long erase(const T0 &k) {
    value_type *i = place(k);
    if (!has(i, k)) return 0;
    for (; i->~value_type(), ++i != p + n;) new (i - 1) element((value_type &&)*i);
    --n;
    return 1;
  }
  void swap(unordered_set &o) { value_type *q = p; unsigned long k = n; p = o.p; n = o.n; o.p = q; o.n = k; }
  void clear() { while (n) p[--n].~value_type(); }
  value_type *find(const T0 &k) const { value_type *i = place(k); return has(i, k) ? i : p + n; }
  unsigned long count(const T0 &k) const { return has(place(k), k); }
  bool contains(const T0 &k) const { return has(place(k), k); }
  value_type *begin() const { return p; }
  value_type *end() const { return p + n; }
  unsigned long size() const { return n; }
  bool empty() const { return !n; }
};
