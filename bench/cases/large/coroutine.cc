// A temporary array in an awaited call: g++ 12 refuses its own initialiser, clang 14 takes it.
#include <algorithm>
#include <coroutine>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

template <class T> class Task {
  public:
    struct promise_type {
        std::optional<T> value;
        std::exception_ptr error;
        std::coroutine_handle<> next;
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct Last {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> done) noexcept
            {
                return done.promise().next ? done.promise().next : std::noop_coroutine();
            }
            void await_resume() noexcept {}
        };
        Last final_suspend() noexcept { return {}; }
        template <class U> void return_value(U &&given) { value.emplace(std::forward<U>(given)); }
        void unhandled_exception() { error = std::current_exception(); }
    };

    Task(Task &&other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    ~Task() { if (handle_) handle_.destroy(); }
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting)
    {
        handle_.promise().next = waiting;
        return handle_;
    }
    T await_resume()
    {
        if (handle_.promise().error)
            std::rethrow_exception(handle_.promise().error);
        return std::move(*handle_.promise().value);
    }
    T run()
    {
        handle_.resume();
        return await_resume();
    }

  private:
    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

Task<std::size_t> longest(std::vector<std::string> words)
{
    auto sizes = words | std::views::transform(&std::string::size);
    co_return std::ranges::max(sizes);
}

Task<std::map<std::string, int>> count(std::vector<std::string> words)
{
    std::map<std::string, int> found;
    for (const auto &word : words)
        ++found[word];
    co_return found;
}

Task<int> all()
{
    std::vector<std::string> words{"one", "two", "three"};
    auto found = co_await count(words);
    auto size = co_await longest({"one", "three"});
    std::function<int(int)> twice = [](int n) { return 2 * n; };
    co_return twice(static_cast<int>(found.size() + size));
}

int main()
{
    std::cout << all().run() << '\n';
}
