// g++ 12 warns of memory that overlaps where a string is put in front of another: it never does.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace report {
struct Entry {
    std::string name;
    std::vector<double> values;
    std::chrono::seconds spent{0};
};

class Book {
public:
    void add(Entry entry) { entries_[entry.name] = std::make_shared<Entry>(std::move(entry)); }
    double total(const std::string &name) const
    {
        auto found = entries_.find(name);
        if (found == entries_.end())
            return 0;
        double sum = 0;
        for (double one : found->second->values)
            sum += one;
        return sum;
    }
    std::size_t size() const { return entries_.size(); }

private:
    std::map<std::string, std::shared_ptr<Entry>> entries_;
};

std::vector<std::string> words(const std::string &text)
{
    static const std::regex word("[a-z]+");
    std::vector<std::string> found;
    for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it)
        found.push_back(it->str());
    std::sort(found.begin(), found.end());
    return found;
}

std::string title(int number)
{
    std::string made = std::to_string(number);
    return "entry " + made;
}

std::string padded(std::string text)
{
    text.insert(0, "*");
    return text;
}
} // namespace report

int main(int count, char **arguments)
{
    report::Book book;
    for (int one = 1; one < count; ++one) {
        report::Entry entry{report::title(one), {1.0 * one, 2.5}, std::chrono::seconds(one)};
        for (const auto &word : report::words(arguments[one]))
            entry.values.push_back(static_cast<double>(word.size()));
        book.add(entry);
    }
    std::ofstream out("book.txt");
    out << report::padded("total") << book.total(report::title(1)) << ' ' << book.size() << '\n';
    std::cout << "written" << std::endl;
}
