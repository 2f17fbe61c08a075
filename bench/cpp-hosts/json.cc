// Settings of a program, read from JSON.
// type: nlohmann::json
#include <nlohmann/json.hpp>
#include <map>
#include <string>
#include <vector>
// ----
namespace settings {

using nlohmann::json;

struct Window {
  int width, height;
  std::string title;
};

struct Settings {
  std::vector<Window> windows;
  std::map<std::string, double> numbers;
  bool dark;
};
// ----
inline void to_json(json &to, const Window &window) {
  to = json{{"width", window.width}, {"height", window.height}, {"title", window.title}};
}

inline void from_json(const json &from, Window &window) {
  from.at("width").get_to(window.width);
  from.at("height").get_to(window.height);
  window.title = from.value("title", std::string("untitled"));
}
// ----
inline void to_json(json &to, const Settings &settings) {
  to["windows"] = settings.windows;
  to["numbers"] = settings.numbers;
  to["dark"] = settings.dark;
}

inline void from_json(const json &from, Settings &settings) {
  settings.windows = from.at("windows").get<std::vector<Window>>();
  settings.numbers = from.at("numbers").get<std::map<std::string, double>>();
  settings.dark = from.value("dark", false);
}
// ----
class Reader {
  json defaults_;
  std::vector<std::string> problems_;

public:
  explicit Reader(const json &defaults) : defaults_(defaults) {}
  Settings read(const std::string &text) {
    json found = json::parse(text, nullptr, false);
    if (found.is_discarded()) {
      problems_.push_back("no JSON");
      return defaults_.get<Settings>();
    }
    json merged = defaults_;
    merged.merge_patch(found);
    return merged.get<Settings>();
  }
  std::size_t problems() const { return problems_.size(); }
};
// ----
inline int area(const Settings &settings) {
  int sum = 0;
  for (const Window &window : settings.windows) sum += window.width * window.height;
  return sum;
}

template <class Value> Value number(const Settings &settings, const std::string &name, Value otherwise) {
  auto at = settings.numbers.find(name);
  return at == settings.numbers.end() ? otherwise : static_cast<Value>(at->second);
}

} // namespace settings
// ----
int main() {
  settings::Settings defaults;
  defaults.dark = true;
  defaults.numbers["scale"] = 2;
  defaults.windows.push_back(settings::Window{3, 4, "main"});
  settings::Reader reader(settings::json{defaults}.at(0));
  settings::Settings read = reader.read("{\"numbers\": {\"speed\": 7}}");
  reader.read("{");
  return settings::area(read) != 12 || settings::number(read, "speed", 0) != 7 || reader.problems() != 1;
}
