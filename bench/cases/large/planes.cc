// Planes through points, fitted with Eigen: a vector of the wrong length is multiplied.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Plane {
    Eigen::Vector3d normal;
    double distance;

    double height(const Eigen::Vector3d &point) const { return normal.dot(point) - distance; }
};

class Cloud {
  public:
    void add(double x, double y, double z) { points_.emplace_back(x, y, z); }

    Plane fitted() const
    {
        Eigen::Vector3d middle = Eigen::Vector3d::Zero();
        for (const auto &one : points_)
            middle += one;
        middle /= double(points_.size());
        Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
        for (const auto &one : points_)
            spread += (one - middle) * (one - middle).transpose();
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(spread);
        Eigen::Vector3d normal = solver.eigenvectors().col(0);
        return {normal, normal.dot(middle)};
    }

    double worst(const Plane &plane) const
    {
        double found = 0;
        Eigen::Vector4d weights(1, 1, 1, 0);
        for (const auto &one : points_)
            found = std::max(found, std::abs(plane.height(one)));
        return found * weights.dot(plane.normal);
    }

  private:
    std::vector<Eigen::Vector3d> points_;
};

int main()
{
    std::map<std::string, std::unique_ptr<Cloud>> clouds;
    auto &roof = clouds["roof"] = std::make_unique<Cloud>();
    roof->add(0, 0, 1);
    roof->add(1, 0, 1);
    roof->add(0, 1, 2);
    Plane plane = roof->fitted();
    std::cout << plane.normal.transpose() << ' ' << roof->worst(plane) << '\n';
}
