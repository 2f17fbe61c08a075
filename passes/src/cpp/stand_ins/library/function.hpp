template <class T0, class... T1> struct function {
  void *o = 0;
  T0 (*call)(void *, T1...) = 0;
  void *(*copy)(void *) = 0;
  void (*drop)(void *) = 0;
  typedef T0 result_type;
  function() {}
  function(decltype(nullptr)) {}
  function(const function &f) : o(f.o ? f.copy(f.o) : 0), call(f.call), copy(f.copy), drop(f.drop) {}
  function(function &f) : function((const function &)f) {}
  template <class T> static T &&any();
  template <class F, class = decltype(any<F &>()(any<T1>()...))> function(F f) {
    o = new F((F &&)f);
    call = [](void *o, T1... a) -> T0 { return (*(F *)o)((T1 &&)a...); };
    copy = [](void *o) -> void * { return new F(*(F *)o); };
    drop = [](void *o) { delete (F *)o; };
  }
  function &operator=(function f) { swap(f); return *this; }
  ~function() { if (o) drop(o); }
  void swap(function &f) { function *a = this; void *q = o; o = f.o; f.o = q; auto c = call; call = f.call; f.call = c; auto d = copy; copy = f.copy; f.copy = d; auto e = drop; drop = f.drop; f.drop = e; }
  T0 operator()(T1... a) const { return call(o, (T1 &&)a...); }
  explicit operator bool() const { return o; }
};
