// thrown N: a C++ program that throws through frames which have something to
// clean up, sorts with a lambda, and calls virtual functions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static volatile int sum;

struct Guard {
	Guard()
	{
		for (int i = 0; i < 50; i++)
			sum += i;
	}
	~Guard()
	{
		for (int i = 0; i < 300; i++)
			sum -= i;
	}
};

template <class T> struct Shape {
	virtual ~Shape() {}
	virtual T area(T side) = 0;
};

struct Square : Shape<double> {
	__attribute__((noinline)) double area(double side) override
	{
		double all = 0;

		for (int i = 0; i < 200; i++)
			all += side * i;
		return all;
	}
};

__attribute__((noinline)) static int dive(int depth)
{
	Guard guard;

	if (!depth)
		throw std::runtime_error("at the bottom");
	std::string text(depth, 'a');
	return dive(depth - 1) + (int)text.size();
}

__attribute__((noinline)) static int pass_through(int depth)
{
	try {
		return dive(depth);
	} catch (const std::logic_error &) {
		return 1;
	}
}

__attribute__((noinline)) static double run(Shape<double> &shape, int nr)
{
	std::vector<int> values(nr);
	double all = 0;

	for (int i = 0; i < nr; i++)
		values[i] = i * 7919 % 1009;
	std::sort(values.begin(), values.end(), [](int a, int b) {
		sum += 1;
		return a < b;
	});
	for (int value : values)
		all += shape.area(value);
	return all;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 200;
	std::map<std::string, int> caught;
	Square square;
	double all = 0;

	for (int i = 0; i < nr; i++) {
		try {
			pass_through(20);
		} catch (const std::exception &e) {
			caught[e.what() + std::to_string(i % 37)]++;
		}
		all += run(square, 100);
	}
	printf("%g %zu\n", all, caught.size());
}
