// Settings kept as JSON, in one large header: a value of a class without a conversion is stored.
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace home {

struct Colour {
    int red, green, blue;
};

class Lamp {
  public:
    Lamp(std::string name, Colour colour) : name_(std::move(name)), colour_(colour) {}

    nlohmann::json saved() const
    {
        nlohmann::json made;
        made["name"] = name_;
        made["colour"] = colour_;
        made["history"] = history_;
        return made;
    }

    void paint(Colour colour)
    {
        history_.push_back(colour_.red);
        colour_ = colour;
    }

  private:
    std::string name_;
    Colour colour_;
    std::vector<int> history_;
};

class House {
  public:
    void add(const std::string &room, Lamp lamp) { lamps_.emplace(room, std::move(lamp)); }

    nlohmann::json saved() const
    {
        nlohmann::json made = nlohmann::json::object();
        for (const auto &[room, lamp] : lamps_)
            made[room].push_back(lamp.saved());
        return made;
    }

  private:
    std::multimap<std::string, Lamp> lamps_;
};

} // namespace home

int main()
{
    home::House house;
    house.add("kitchen", home::Lamp("left", {255, 200, 10}));
    house.add("kitchen", home::Lamp("right", {255, 190, 10}));
    std::cout << house.saved().dump(2) << '\n';
}
