// A template parameter of floating type, over Eigen: C++20 has them, clang 14 does not.
#include <Eigen/Core>
#include <iostream>
#include <vector>

template <double Rate> struct Smoother {
    static Eigen::VectorXd step(const Eigen::VectorXd &old, const Eigen::VectorXd &fresh)
    {
        return Rate * fresh + (1.0 - Rate) * old;
    }
};

class Model {
  public:
    explicit Model(int size) : weights_(Eigen::MatrixXd::Identity(size, size)) {}

    Eigen::VectorXd predict(const Eigen::VectorXd &input) const { return weights_ * input; }

    void learn(const Eigen::VectorXd &input, const Eigen::VectorXd &wanted)
    {
        Eigen::VectorXd error = wanted - predict(input);
        weights_ += 0.1 * error * input.transpose();
        mean_ = mean_.size() ? Smoother<0.25>::step(mean_, input) : input;
    }

    double norm() const { return weights_.norm() + mean_.sum(); }

  private:
    Eigen::MatrixXd weights_;
    Eigen::VectorXd mean_;
};

int main()
{
    Model model(3);
    for (int round = 0; round < 10; ++round)
        model.learn(Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(3, 2, 1));
    std::cout << model.predict(Eigen::Vector3d(1, 0, 0)) << '\n' << model.norm() << '\n';
}
