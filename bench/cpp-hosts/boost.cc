// A stock of parts in Boost's containers.
// type: boost::container::flat_map<std::string, boost::optional<int>>
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/mp11.hpp>
#include <boost/optional.hpp>
#include <string>
#include <tuple>
// ----
namespace stock {

struct Screw { int length; };
struct Gear { int teeth; };
struct Belt { int width; };
typedef boost::mp11::mp_list<Screw, Gear, Belt> Parts;

template <class Part> struct Store {
  boost::container::flat_map<std::string, Part> parts;
  boost::optional<Part> find(const std::string &name) const {
    auto at = parts.find(name);
    if (at == parts.end()) return boost::none;
    return at->second;
  }
};
// ----
typedef boost::mp11::mp_rename<boost::mp11::mp_transform<Store, Parts>, std::tuple> Stores;

inline std::string lower(std::string name) {
  for (char &c : name)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return name;
}

class Stock {
  Stores stores_;

public:
  template <class Part> Store<Part> &of() {
    return std::get<boost::mp11::mp_find<Parts, Part>::value>(stores_);
  }
  template <class Part> void put(const std::string &name, Part part) {
    of<Part>().parts.emplace(lower(name), part);
  }
  std::size_t size() const {
    std::size_t sum = 0;
    boost::mp11::tuple_for_each(stores_, Sum{&sum});
    return sum;
  }
  struct Sum {
    std::size_t *sum;
    template <class Part> void operator()(const Store<Part> &store) const { *sum += store.parts.size(); }
  };
};
// ----
inline boost::container::small_vector<std::string, 4> words(const std::string &line) {
  boost::container::small_vector<std::string, 4> found;
  std::string word;
  for (char c : line + " ") {
    if (c != ' ' && c != ',' && c != ';') {
      word += c;
    } else if (!word.empty()) {
      found.push_back(word);
      word.clear();
    }
  }
  return found;
}
// ----
struct Order {
  std::string text;
  int count;
};

inline boost::optional<Order> parse(const std::string &line) {
  auto parts = words(line);
  if (parts.size() != 2) return boost::none;
  Order order;
  order.text = parts[0];
  order.count = int(parts[1].size());
  return order;
}
// ----
inline int fill(Stock &stock) {
  int refused = 0;
  const char *lines[] = {"M4, xx", " m5;xxx ", "none"};
  for (const char *line : lines) {
    if (boost::optional<Order> order = parse(line))
      stock.put(order->text, Screw{order->count});
    else
      ++refused;
  }
  return refused;
}

} // namespace stock
// ----
int main() {
  stock::Stock stock;
  int refused = stock::fill(stock);
  stock.put("Drive", stock::Gear{17});
  stock.put("Fan", stock::Belt{8});
  return refused != 1 || stock.size() != 4 || !stock.of<stock::Gear>().find("drive");
}
