// A table of measurements, printed with fmt.
// type: fmt::basic_memory_buffer<char, 32>
#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>
// ----
namespace table {

struct Point {
  double x, y;
};

struct Series {
  std::string name;
  std::vector<Point> points;
};

} // namespace table
// ----
template <> struct fmt::formatter<table::Point> {
  constexpr auto parse(fmt::format_parse_context &context) -> decltype(context.begin()) { return context.begin(); }
  template <class Context> auto format(const table::Point &point, Context &context) const -> decltype(context.out()) {
    return fmt::format_to(context.out(), "({:.2f}, {:.2f})", point.x, point.y);
  }
};
// ----
namespace table {

inline Point mean(const Series &series) {
  Point sum = std::accumulate(series.points.begin(), series.points.end(), Point{0, 0}, [](Point a, const Point &b) {
    a.x += b.x;
    a.y += b.y;
    return a;
  });
  double count = series.points.empty() ? 1.0 : double(series.points.size());
  return Point{sum.x / count, sum.y / count};
}
// ----
class Writer {
  fmt::memory_buffer buffer_;
  int width_;

public:
  explicit Writer(int width) : width_(width) {}
  template <class Value> Writer &cell(const Value &value) {
    fmt::format_to(std::back_inserter(buffer_), "{:>{}} ", fmt::format("{}", value), width_);
    return *this;
  }
  Writer &line() {
    buffer_.push_back('\n');
    return *this;
  }
  std::string text() const { return fmt::to_string(buffer_); }
};
// ----
template <class... Values> void row(Writer &writer, const Values &...values) {
  int unused[] = {0, (writer.cell(values), 0)...};
  (void)unused;
  writer.line();
}

inline std::string all(const std::vector<Series> &table) {
  Writer writer(16);
  for (const Series &series : table) row(writer, series.name, series.points.size(), mean(series));
  return writer.text();
}

} // namespace table
// ----
int main() {
  std::vector<table::Series> measured(2);
  measured[0].name = "cold";
  measured[0].points.push_back(table::Point{1, 2});
  measured[0].points.push_back(table::Point{3, 5});
  measured[1].name = "warm";
  fmt::print("{}", table::all(measured));
  fmt::print("{}\n", fmt::join(std::vector<int>{1, 2, 3}, "+"));
  return 0;
}
