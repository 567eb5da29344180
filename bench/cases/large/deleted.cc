// A copy of what cannot be copied, deep in the library; the script sends all words through a pipe.
#include <algorithm>
#include <filesystem>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace jobs {
struct Print {
    std::string text;
};
struct Load {
    std::filesystem::path path;
};
struct Wait {
    std::chrono::milliseconds time;
};
using Job = std::variant<Print, Load, Wait>;

template <class... Parts> struct Overloaded : Parts... {
    using Parts::operator()...;
};
template <class... Parts> Overloaded(Parts...) -> Overloaded<Parts...>;

class Worker {
public:
    explicit Worker(std::string name) : name_(std::move(name)) {}
    std::future<std::size_t> run(Job job)
    {
        return std::async(std::launch::async, [job = std::move(job)] {
            return std::visit(Overloaded{[](const Print &one) { return one.text.size(); },
                                         [](const Load &one) { return one.path.string().size(); },
                                         [](const Wait &one) { return std::size_t(one.time.count()); }},
                              job);
        });
    }
    const std::string &name() const { return name_; }

private:
    std::string name_;
};

class Pool {
public:
    void add(const std::string &name) { workers_.emplace(name, std::make_unique<Worker>(name)); }
    auto all() const { return workers_; }
    std::size_t size() const { return workers_.size(); }

private:
    std::map<std::string, std::unique_ptr<Worker>> workers_;
};
} // namespace jobs

int main()
{
    jobs::Pool pool;
    pool.add("first");
    pool.add("second");
    std::vector<std::size_t> sizes;
    for (const auto &[name, worker] : pool.all())
        sizes.push_back(worker->run(jobs::Print{name}).get());
    std::sort(sizes.begin(), sizes.end());
    std::cout << pool.size() << ' ' << sizes.front() << '\n';
}
