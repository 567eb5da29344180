// Routes in a graph and their settings, with Boost: a distance that cannot be compared.
#include <boost/bimap.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Road {
    std::string name;
    double length;
};

using Map = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, std::string, Road>;
using Names = boost::bimap<std::string, int>;

static Names read(const std::string &text, Map &map)
{
    boost::property_tree::ptree tree;
    std::istringstream in(text);
    boost::property_tree::read_json(in, tree);
    Names names;
    for (const auto &[town, roads] : tree) {
        int number = int(boost::add_vertex(town, map));
        names.insert({town, number});
        for (const auto &[other, length] : roads)
            if (auto found = names.left.find(other); found != names.left.end())
                boost::add_edge(number, found->second, Road{town + other, length.get_value<double>()}, map);
    }
    return names;
}

static std::vector<double> distances(const Map &map, int from)
{
    std::vector<double> found(num_vertices(map));
    auto lengths = boost::get(&Road::name, map);
    boost::dijkstra_shortest_paths(map, from, boost::weight_map(lengths).distance_map(found.data()));
    return found;
}

int main()
{
    Map map;
    Names names = read(R"({"Ulm": {}, "Bonn": {"Ulm": 420}, "Kiel": {"Bonn": 510}})", map);
    for (double one : distances(map, names.left.at("Ulm")))
        std::cout << one << '\n';
}
