// An address book on the standard library alone.
// type: std::map<std::string, std::vector<int>>
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
// ----
namespace book {

struct Entry {
  std::string name;
  std::vector<std::string> numbers;
  int group;
  Entry(const std::string &n, int g) : name(n), group(g) {}
};
// ----
typedef std::shared_ptr<Entry> EntryPtr;
typedef std::function<bool(const Entry &)> Filter;

class Book {
  std::map<std::string, EntryPtr> entries_;
  std::vector<std::function<void(const Entry &)>> listeners_;

public:
  EntryPtr add(const std::string &name, int group) {
    EntryPtr made = std::make_shared<Entry>(name, group);
    entries_[name] = made;
    for (auto &listener : listeners_) listener(*made);
    return made;
  }
  void listen(std::function<void(const Entry &)> listener) { listeners_.push_back(listener); }
  std::vector<EntryPtr> select(Filter filter) const {
    std::vector<EntryPtr> found;
    for (auto &pair : entries_)
      if (filter(*pair.second)) found.push_back(pair.second);
    return found;
  }
  std::size_t size() const { return entries_.size(); }
};
// ----
template <class Iterator, class Text> std::string join(Iterator first, Iterator last, Text text) {
  std::ostringstream out;
  for (Iterator at = first; at != last; ++at) {
    if (at != first) out << ", ";
    out << text(*at);
  }
  return out.str();
}

inline Filter in_group(int group) {
  return [group](const Entry &entry) { return entry.group == group; };
}
// ----
inline std::string digits(const std::string &number) {
  std::string kept;
  std::copy_if(number.begin(), number.end(), std::back_inserter(kept), [](char c) { return c >= '0' && c <= '9'; });
  return kept;
}

struct ByLength {
  bool operator()(const EntryPtr &a, const EntryPtr &b) const {
    return a->name.size() != b->name.size() ? a->name.size() < b->name.size() : a->name < b->name;
  }
};
// ----
inline std::string report(const Book &book, int group) {
  std::vector<EntryPtr> found = book.select(in_group(group));
  std::sort(found.begin(), found.end(), ByLength());
  return join(found.begin(), found.end(), [](const EntryPtr &entry) {
    return entry->name + ": " + join(entry->numbers.begin(), entry->numbers.end(), digits);
  });
}

} // namespace book
// ----
int main() {
  book::Book friends;
  int added = 0;
  friends.listen([&added](const book::Entry &) { ++added; });
  friends.add("Ada", 1)->numbers.push_back("+44 20 1");
  friends.add("Grace", 2)->numbers.push_back("+1 202 2");
  friends.add("Edsger", 1)->numbers.push_back("+31 10 3");
  return book::report(friends, 1).empty() || added != int(friends.size());
}
