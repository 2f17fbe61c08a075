template <class T0, class T1> struct pair {
  T0 first;
  T1 second;
  typedef T0 first_type;
  typedef T1 second_type;
  constexpr pair() : first(), second() {}
  constexpr pair(const T0 &a, const T1 &b) : first(a), second(b) {}
  template <class A, class B> constexpr pair(A &&a, B &&b) : first((A &&)a), second((B &&)b) {}
  template <class A, class B> constexpr pair(const pair<A, B> &o) : first(o.first), second(o.second) {}
};
