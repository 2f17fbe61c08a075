// Uses the members of classes of the standard library, and prints what they give.
#include <cstdio>
struct M { int x; M(int x) : x(x) {} M(M&&o) : x(o.x) { o.x = 0; } M& operator=(M&&o) { x = o.x; o.x = 0; return *this; } ~M() {} };
struct J { std::vector<J> c; int v = 1; int sum() const { int s = v; for (auto &x : c) s += x.sum(); return s; } };
template <class T> void limits() {
  using L = std::numeric_limits<T>;
  static_assert(L::is_specialized && L::is_bounded && L::radix == 2, "");
  std::printf("%d%d%d%d%d%d%d%d ", L::is_integer, L::is_signed, L::is_exact, L::is_modulo, L::is_iec559, L::has_infinity, L::has_quiet_NaN, L::has_signaling_NaN);
  std::printf("%d %d %d %d %d ", L::digits, L::digits10, L::max_digits10, L::min_exponent, L::max_exponent);
  long double all[] = {(long double)L::max(), (long double)L::min(), (long double)L::lowest(), (long double)L::epsilon(), (long double)L::denorm_min(), (long double)L::round_error(), (long double)L::infinity()};
  for (long double x : all) std::printf("%Lg ", x);
  std::printf("%d %d\n", L::quiet_NaN() != L::quiet_NaN(), L::signaling_NaN() != L::signaling_NaN());
}
int g(int x) { return x + 1; }
int main() {
  std::vector<int> v{3, 1, 2}; v.push_back(7); v.insert(v.begin() + 1, 9); v.erase(v.begin()); v.resize(7); v.emplace_back(4); v.pop_back();
  std::vector<int> w(v.begin(), v.end()); w = v; w.push_back(w[0]); std::vector<int> z(3, 5); w.swap(z);
  for (int x : v) std::printf("%d ", x); for (int x : w) std::printf("%d ", x); std::printf("%zu %d %d\n", (size_t)z.size(), z.front(), z.back());
  std::vector<M> m; m.push_back(M(3)); m.emplace_back(4); std::vector<M> m2 = (std::vector<M>&&)m; std::printf("%d %d %d\n", m2[0].x, m2[1].x, (int)m.empty());
  std::vector<std::unique_ptr<M>> u; u.push_back(std::unique_ptr<M>(new M(8))); u.push_back(nullptr); std::printf("%d %d\n", u[0]->x, (int)(bool)u[1]);
  J j; j.c.push_back(J()); j.c.push_back(j); std::printf("%d\n", j.sum());
  std::basic_string<char, std::char_traits<char>> s = "hello"; s += " wor"; s += 'l'; s.append("dxx", 1); s.append(s); std::printf("%s %d %d %d\n", s.c_str(), (int)s.find("wor"), (int)s.find('z'), s.substr(2, 3).compare("llo"));
  char buffer[4] = ""; s.copy(buffer, 3, 1); s.insert(2, "--"); s.erase(0, 1).replace(3, 2, "+"); std::printf("%s %s %d %d\n", buffer, s.c_str(), (int)s.rfind('l'), (int)s.rfind('z')); s.clear(); s.push_back('q'); s.resize(3); std::basic_string<char, std::char_traits<char>> t(2, 'y'); t = s; std::basic_string_view<char, std::char_traits<char>> sv(t); std::printf("%d %c %d\n", (int)t.size(), sv[0], (int)(sv.substr(1).size() + sv.find('q')));
  std::optional<int> o; std::optional<M> om; om.emplace(3); o = 4; auto p = o; o.reset(); std::printf("%d %d %d %d\n", o.value_or(1), *p, om->x, (int)o.has_value()); o = std::nullopt;
  std::function<int(int)> f = g, h = f; int k = 5; f = [k](int x) { return x * k; }; auto f2 = f; std::printf("%d %d %d\n", f(3), h(3), f2(4)); f = nullptr; std::printf("%d\n", (int)(bool)f);
  std::map<int, std::vector<int>> a; a[3].push_back(1); a[1].push_back(2); a[2]; a.erase(2); for (auto &[x, y] : a) std::printf("%d:%d ", x, y[0]); std::printf("%d %d\n", (int)a.count(3), (int)(a.find(9) == a.end()));
  std::map<int, int> b{{2, 3}, {1, 4}}; auto r = b.emplace(5, 6); auto r2 = b.insert(std::pair<const int, int>(5, 7)); std::printf("%d %d %d %d\n", r.first->second, (int)r.second, (int)r2.second, b.at(5)); auto c = b; b.clear(); std::printf("%d %d\n", (int)c.size(), (int)b.size());
  std::set<int> e{3, 1, 3}; e.insert(2); for (int x : e) std::printf("%d ", x); std::printf("%d\n", (int)e.count(1)); e.erase(1); std::printf("%d\n", (int)e.size());
  std::unordered_map<int, int> um; um[4] = 3; um[4]++; std::printf("%d\n", um[4]); std::unordered_set<int> us; us.insert(3); us.insert(3); std::printf("%d\n", (int)us.size());
  limits<bool>(); limits<char>(); limits<signed char>(); limits<unsigned short>(); limits<int>(); limits<unsigned>(); limits<long>(); limits<unsigned long long>();
  limits<float>(); limits<double>(); limits<long double>();
}
