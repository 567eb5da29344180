// A pipeline of views: clang 14 cannot compile libstdc++ 12's views.
#include <functional>
#include <iostream>
#include <ranges>
#include <string>
#include <unordered_map>
#include <vector>

struct Reading {
    std::string station;
    int degrees;
};

class Log {
  public:
    explicit Log(std::vector<Reading> readings) : readings_(std::move(readings)) {}

    int warm(int least) const
    {
        int count = 0;
        for (int degrees : readings_ | std::views::transform(&Reading::degrees)
                               | std::views::filter([=](int one) { return one >= least; }))
            count += degrees > 0;
        return count;
    }

    std::unordered_map<std::string, int> highest() const
    {
        std::unordered_map<std::string, int> best;
        for (const auto &one : readings_) {
            auto [at, fresh] = best.try_emplace(one.station, one.degrees);
            if (!fresh && at->second < one.degrees)
                at->second = one.degrees;
        }
        return best;
    }

  private:
    std::vector<Reading> readings_;
};

int main()
{
    Log log({{"north", -3}, {"south", 21}, {"east", 14}, {"south", 23}});
    for (const auto &[station, degrees] : log.highest())
        std::cout << station << ' ' << degrees << '\n';
    std::cout << log.warm(10) << '\n';
}
