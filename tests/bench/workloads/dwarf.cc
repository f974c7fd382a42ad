// dwarf SECONDS [ROUNDS]: C++ recursion with frames of different sizes,
// containers and an exception now and then, to be recorded with copies of its
// stack. It ends after that time, or when so much is done.
#include <chrono>
#include <cstdlib>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

static volatile unsigned long sink;

template <int Depth> struct Walk {
	__attribute__((noinline)) static unsigned long down(unsigned long seed)
	{
		std::vector<unsigned long> numbers(Depth + 8, seed);
		std::iota(numbers.begin(), numbers.end(), seed);
		return Walk<Depth - 1>::down(
			       std::accumulate(numbers.begin(), numbers.end(),
					       0ul)) +
		       numbers[Depth];
	}
};

template <> struct Walk<0> {
	__attribute__((noinline)) static unsigned long down(unsigned long seed)
	{
		std::map<std::string, unsigned long> table;
		for (int i = 0; i < 16; i++)
			table[std::to_string(seed + i)] += i;
		if (seed % 64 == 0)
			throw std::runtime_error("now and then");
		return table.size();
	}
};

int main(int argc, char **argv)
{
	using clock = std::chrono::steady_clock;
	auto end = clock::now() +
		   std::chrono::milliseconds(
			   (long)(1000 * (argc > 1 ? atof(argv[1]) : 5.0)));
	unsigned long last = argc > 2 ? strtoul(argv[2], nullptr, 0) : 0;
	unsigned long seed = 1;
	while (clock::now() < end && (!last || seed <= last)) {
		try {
			sink += Walk<40>::down(seed++);
		} catch (const std::runtime_error &) {
			sink += 1;
		}
	}
	return 0;
}
