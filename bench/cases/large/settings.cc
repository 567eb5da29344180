// Settings in Boost's containers; the deduction of an aggregate's arguments, which clang 14 lacks.
#include <boost/algorithm/string.hpp>
#include <boost/optional.hpp>
#include <boost/variant.hpp>
#include <iostream>
#include <string>
#include <vector>

template <class Value> struct Setting {
    std::string name;
    Value value;
};

using Value = boost::variant<bool, int, std::string>;

struct Printer : boost::static_visitor<std::string> {
    std::string operator()(bool one) const { return one ? "yes" : "no"; }
    std::string operator()(int one) const { return std::to_string(one); }
    std::string operator()(const std::string &one) const { return one; }
};

static boost::optional<Value> read(std::string text)
{
    boost::trim(text);
    if (text.empty())
        return boost::none;
    if (boost::iequals(text, "yes"))
        return Value(true);
    return Value(text);
}

int main()
{
    std::vector<std::string> words;
    std::string line = "yes, no ,4";
    boost::split(words, line, boost::is_any_of(","));
    for (const auto &word : words) {
        Setting setting{word, read(word)};
        if (setting.value)
            std::cout << setting.name << ' ' << boost::apply_visitor(Printer(), *setting.value) << '\n';
    }
}
