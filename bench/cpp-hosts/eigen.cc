// A straight line through points, with Eigen.
// type: Eigen::Matrix<double, 3, 3>
#define EIGEN_DONT_VECTORIZE
#include <Eigen/Core>
#include <Eigen/LU>
#include <string>
#include <vector>
// ----
namespace fit {

typedef Eigen::Matrix<double, 2, 1> Point;
typedef std::vector<Point, Eigen::aligned_allocator<Point>> Points;

struct Line {
  double slope, offset;
  double operator()(double x) const { return slope * x + offset; }
};
// ----
inline Eigen::Matrix2d moments(const Points &points) {
  Eigen::Matrix2d sum = Eigen::Matrix2d::Zero();
  for (const Point &point : points) {
    Eigen::Vector2d row(point.x(), 1.0);
    sum += row * row.transpose();
  }
  return sum;
}

inline Eigen::Vector2d products(const Points &points) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  for (const Point &point : points) sum += point.y() * Eigen::Vector2d(point.x(), 1.0);
  return sum;
}
// ----
class Fitter {
  Points points_;
  std::string name_;

public:
  explicit Fitter(const std::string &name) : name_(name) {}
  Fitter &add(double x, double y) {
    points_.push_back(Point(x, y));
    return *this;
  }
  Line line() const {
    Eigen::Vector2d found = moments(points_).inverse() * products(points_);
    return Line{found(0), found(1)};
  }
  double error() const;
  const std::string &name() const { return name_; }
};
// ----
inline double Fitter::error() const {
  Line found = line();
  Eigen::VectorXd off(int(points_.size()));
  for (int i = 0; i < off.size(); ++i) off(i) = points_[i].y() - found(points_[i].x());
  return off.norm();
}
// ----
template <class Derived> typename Derived::Scalar spread(const Eigen::MatrixBase<Derived> &values) {
  return values.maxCoeff() - values.minCoeff();
}

template <int Size> Eigen::Matrix<double, Size, Size> powers(const Eigen::Matrix<double, Size, 1> &x) {
  Eigen::Matrix<double, Size, Size> made;
  made.col(0).setOnes();
  for (int i = 1; i < Size; ++i) made.col(i) = made.col(i - 1).cwiseProduct(x);
  return made;
}

} // namespace fit
// ----
int main() {
  fit::Fitter fitter("rain");
  fitter.add(0, 1).add(1, 3).add(2, 5).add(3, 7);
  Eigen::Vector3d x(1, 2, 3);
  double det = fit::powers<3>(x).determinant();
  bool right = fitter.error() < 1e-6 && det > 1.99 && det < 2.01 && fit::spread(x) == 2.0;
  return right && fitter.name() == "rain" ? 0 : 1;
}
