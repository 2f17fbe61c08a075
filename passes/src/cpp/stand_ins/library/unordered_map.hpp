template <class T0, class T1> struct unordered_map {
  typedef T0 key_type;
  typedef std::pair<const T0, T1> value_type;
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
  unordered_map() {}
  unordered_map(std::initializer_list<value_type> l) { for (const value_type *i = l.begin(); i != l.end(); ++i) insert(*i); }
  unordered_map(const unordered_map &o) { for (unsigned long i = 0; i < o.n; ++i) insert(o.p[i]); }
  unordered_map(unordered_map &&o) : p(o.p), n(o.n) { o.p = 0; o.n = 0; }
  unordered_map &operator=(unordered_map o) { swap(o); return *this; }
  ~unordered_map() { clear(); ::operator delete(p); }
  value_type *place(const T0 &k) const { value_type *i = p; while (i != p + n && !(i->first == k)) ++i; return i; }
  bool has(const value_type *i, const T0 &k) const { return i != p + n && i->first == k; }
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
  T1 &operator[](const T0 &k) { value_type *i = place(k); return (has(i, k) ? i : add(i, k, T1()))->second; }
  T1 &at(const T0 &k) const { return place(k)->second; }
  std::pair<value_type *, bool> insert(const value_type &x) { return emplace(x.first, x.second); }
  template <class K, class... A> std::pair<value_type *, bool> emplace(K &&k, A &&...a) {
    value_type *i = place(k);
    bool is_new = !has(i, k);
    return std::pair<value_type *, bool>(is_new ? add(i, (K &&)k, (A &&)a...) : i, is_new);
  }
  unsigned long erase(const T0 &k) {
    value_type *i = place(k);
    if (!has(i, k)) return 0;
    for (; i->~value_type(), ++i != p + n;) new (i - 1) element((value_type &&)*i);
    --n;
    return 1;
  }
  void swap(unordered_map &o) { value_type *q = p; unsigned long k = n; p = o.p; n = o.n; o.p = q; o.n = k; }
  void clear() { while (n) p[--n].~value_type(); }
  value_type *find(const T0 &k) const { value_type *i = place(k); return has(i, k) ? i : p + n; }
  unsigned long count(const T0 &k) const { return has(place(k), k); }
  bool contains(const T0 &k) const { return has(place(k), k); }
  value_type *begin() const { return p; }
  value_type *end() const { return p + n; }
  unsigned long size() const { return n; }
  bool empty() const { return !n; }
};
