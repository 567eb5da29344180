// A shop that throws: a target whose failures end in std::terminate.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct bad_order : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static std::vector<int> totals;
static std::map<std::string, int> prices;

static void sell(const std::string &name, int at) {
    if (at < 0) throw bad_order("order of " + name + " is negative");
    if (name.empty()) throw std::invalid_argument("an order without a name");
    std::cout << name << " " << totals.at(at) << "\n";
}

int main(int, char **argv) {
    std::ifstream file(argv[1]);
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string word, name;
        int number = 0;
        words >> word >> name >> number;
        if (word == "price") prices[name] = number;
        else if (word == "total") totals.push_back(std::stoi(name));
        else if (word == "sell") sell(name, number);
        else if (word == "find") std::cout << prices.at(name) << "\n";
        else if (word == "fail") throw number;
        else if (word == "cut") std::cout << name.substr(number) << "\n";
    }
}
