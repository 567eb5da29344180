// Aggregates built in place: C++20 allows parentheses, clang 14 does not have them yet.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace shop {

struct Item {
    int number;
    double price;
};

struct Order {
    std::string customer;
    std::vector<Item> items;
};

class Ledger {
  public:
    void add(const std::string &customer, int number, double price)
    {
        auto found = orders_.find(customer);
        if (found == orders_.end())
            found = orders_.emplace(customer, Order{customer, {}}).first;
        found->second.items.emplace_back(number, price);
    }

    double total() const
    {
        double sum = 0;
        for (const auto &[name, order] : orders_)
            sum += std::accumulate(order.items.begin(), order.items.end(), 0.0,
                                   [](double so_far, const Item &one) { return so_far + one.price; });
        return sum;
    }

    void print(std::ostream &out) const
    {
        for (const auto &[name, order] : orders_) {
            out << name << ": " << order.items.size() << " items\n";
            for (const auto &item : order.items)
                out << "  " << item.number << ' ' << item.price << '\n';
        }
        out << total() << std::endl;
    }

  private:
    std::map<std::string, Order> orders_;
};

} // namespace shop

int main()
{
    shop::Ledger ledger;
    ledger.add("ann", 1, 2.5);
    ledger.add("bob", 2, 4.0);
    ledger.print(std::cout);
    return ledger.total() > 6 ? 0 : 1;
}
