// Shapes with areas: classes, templates, lambdas.
#include <memory>
#include <vector>

namespace geometry {
template <typename T, int N = 2> class Vector {
 public:
  Vector() : values_{} {}
  explicit Vector(T x, T y) : values_{x, y} {}
  T operator[](int i) const { return values_[i]; }
 private:
  T values_[N];
};

struct Shape { virtual ~Shape() = default; virtual double area() const = 0; };

class Circle final : public Shape {
 public:
  Circle(double r) : r_(r) {}
  double area() const override { return 3.14159 * r_ * r_; }
 private:
  double r_;
};
}  // namespace geometry

int main() {
  std::vector<std::unique_ptr<geometry::Shape>> shapes;
  shapes.push_back(std::make_unique<geometry::Circle>(2.0));
  auto total = [&shapes](double start) -> double {
    for (const auto &shape : shapes) start += shape->area();
    return start;
  };
  try { if (total(0) > 10.0) throw 1; } catch (int code) { return code; }
  return R"(raw "text")"[0] == 'r' ? 0 : 1;
}
