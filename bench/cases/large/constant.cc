// A string in a constant: g++ 12 takes it, clang 14 finds libstdc++'s no constant expression.
#include <algorithm>
#include <array>
#include <charconv>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace words {
constexpr bool vowel(char sign)
{
    constexpr std::string_view vowels = "aeiou";
    return vowels.find(sign) != std::string_view::npos;
}

constexpr std::string reversed(std::string_view text)
{
    std::string made(text.rbegin(), text.rend());
    return made;
}

constexpr std::size_t score(std::string_view text)
{
    auto back = reversed(text);
    back += "abcdefghijklmnop";
    std::size_t total = 0;
    for (char sign : back)
        total += vowel(sign) ? 2 : 1;
    return total;
}

template <std::size_t N> constexpr auto table()
{
    std::array<std::size_t, N> made{};
    std::iota(made.begin(), made.end(), std::size_t{1});
    for (auto &one : made)
        one = one * one + N;
    return made;
}
} // namespace words

template <class... Parts> std::string joined(const Parts &...parts)
{
    std::ostringstream out;
    ((out << std::setw(4) << parts << ','), ...);
    return out.str();
}

int main()
{
    constexpr auto squares = words::table<8>();
    constexpr auto points = words::score("a longer string than fits in place");
    std::unordered_map<std::string, std::vector<std::size_t>> kept;
    kept["squares"].assign(squares.begin(), squares.end());
    char digits[20];
    auto end = std::to_chars(digits, digits + sizeof digits, points).ptr;
    std::cout << joined(kept.size(), std::string_view(digits, end), words::reversed("abc")) << '\n';
}
