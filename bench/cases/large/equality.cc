// An operator== that C++17 takes and C++20 finds ambiguous, with libc++.
#include <algorithm>
#include <iostream>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

template <class Derived> struct Comparable {
    template <class Other> bool operator==(const Comparable<Other> &other)
    {
        return static_cast<const Derived &>(*this).key() == static_cast<const Other &>(other).key();
    }
};

struct Person : Comparable<Person> {
    std::string name;
    int age = 0;
    explicit Person(std::string called, int years) : name(std::move(called)), age(years) {}
    const std::string &key() const { return name; }
};

struct Animal : Comparable<Animal> {
    std::string name;
    explicit Animal(std::string called) : name(std::move(called)) {}
    const std::string &key() const { return name; }
};

std::optional<int> oldest(const std::vector<Person> &people)
{
    auto best = std::max_element(people.begin(), people.end(),
                                 [](const Person &a, const Person &b) { return a.age < b.age; });
    return best == people.end() ? std::nullopt : std::optional<int>(best->age);
}

int main()
{
    std::vector<Person> people{Person("eve", 30), Person("joe", 40)};
    std::list<Animal> animals{Animal("rex"), Animal("eve")};
    std::map<std::string, int> counts;
    for (auto &person : people)
        for (auto &animal : animals)
            if (person == animal)
                ++counts[person.name];
    for (const auto &one : counts)
        std::cout << one.first << ' ' << one.second << '\n';
    return oldest(people).value_or(0) == 40 ? 0 : 1;
}
