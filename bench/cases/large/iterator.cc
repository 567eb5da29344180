// A pointer into a vector that has grown: the address sanitizer stops the program.
#include <functional>
#include <iostream>
#include <list>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct Order {
    int id;
    std::string customer;
    double price;
};

class Shop {
public:
    Order &place(const std::string &customer, double price)
    {
        orders_.push_back({next_++, customer, price});
        by_customer_[customer].insert(orders_.back().id);
        return orders_.back();
    }
    double total() const
    {
        return std::accumulate(orders_.begin(), orders_.end(), 0.0,
                               [](double sum, const Order &one) { return sum + one.price; });
    }
    std::optional<Order> cheapest() const
    {
        auto less = [](const Order &a, const Order &b) { return a.price > b.price; };
        std::priority_queue<Order, std::vector<Order>, decltype(less)> queue(less);
        for (const Order &one : orders_)
            queue.push(one);
        if (queue.empty())
            return std::nullopt;
        return queue.top();
    }
    std::string listing() const
    {
        std::ostringstream out;
        for (const auto &[name, ids] : by_customer_)
            out << name << ':' << ids.size() << ';';
        return out.str();
    }

private:
    int next_ = 1;
    std::vector<Order> orders_;
    std::unordered_map<std::string, std::set<int>> by_customer_;
};

int main()
{
    Shop shop;
    std::list<std::function<void()>> later;
    Order &first = shop.place("ann", 12.5);
    for (const char *name : {"bob", "cid", "dan"})
        later.push_back([&shop, name] { shop.place(name, std::string(name).size() * 3.25); });
    for (auto &one : later)
        one();
    first.price *= 2;
    if (auto found = shop.cheapest())
        std::cout << found->customer << ' ' << shop.total() << ' ' << shop.listing() << '\n';
    return first.id == 1 ? 0 : 1;
}
