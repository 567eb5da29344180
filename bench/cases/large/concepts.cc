// A friend with a constraint, over libstdc++: g++ 12 and clang 14 do not agree whether it is one function.
#include <chrono>
#include <concepts>
#include <iostream>
#include <memory>
#include <span>
#include <tuple>
#include <regex>

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;

template <Number T> class Money {
  public:
    constexpr explicit Money(T amount) : amount_(amount) {}
    constexpr T amount() const { return amount_; }
    auto operator<=>(const Money &) const = default;

  private:
    T amount_;
};

template <class... Parts> struct Bundle {
    std::tuple<Parts...> parts;
    constexpr auto total() const
    {
        return std::apply([](const auto &...one) { return (one.amount() + ...); }, parts);
    }
};

template <class Base> struct Counted : Base {
    using Base::operator();
    int calls = 0;
};

using Alias = Money<long>;
template <class T> using Purse = Bundle<T, T>;

int main()
{
    constexpr Bundle<Money<int>, Money<long>> bundle{{Money(3), Money(4l)}};
    static_assert(bundle.total() == 7);
    Counted counted{[](int n) { return n + 1; }};
    std::shared_ptr<Alias> kept = std::make_shared<Alias>(5);
    std::regex word("[a-z]+");
    auto now = std::chrono::system_clock::now();
    std::cout << counted(2) << ' ' << kept->amount() << ' ' << std::regex_match("abc", word) << ' '
              << std::span<const char>("xy", 2).size() << ' ' << (now.time_since_epoch().count() > 0) << '\n';
}
