// secretive N [started]: a C++ program with inlined functions whose stack,
// arguments and environment hold secrets.  It starts itself again with them, so
// that no command line but its own has them.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

static volatile unsigned long sum;

static inline __attribute__((always_inline)) unsigned long
mixed(unsigned long x)
{
	for (int i = 0; i < 200; i++)
		x = x * 6364136223846793005UL + 1442695040888963407UL;
	return x;
}

struct Link {
	virtual ~Link() {}
	virtual unsigned long follow(int depth) = 0;
};

struct Secret : Link {
	unsigned long follow(int depth) override
	{
		char key[64];
		unsigned long found = mixed(depth);

		strcpy(key, "s3cr3t-on-");
		strcat(key, "the-stack");
		asm volatile("" : : "r"(key) : "memory");
		if (depth > 0)
			found += follow(depth - 1);
		sum = sum + key[depth % 16];
		return found;
	}
};

int main(int argc, char **argv)
{
	std::vector<int> all(300);
	Secret secret;

	if (argc < 3) {
		setenv("TOKEN", "s3cr3t-of-the-environment", 1);
		execl(argv[0], argv[0], argv[1], "s3cr3t-argument", nullptr);
		return 1;
	}
	for (int i = 0; i < atoi(argv[1]); i++) {
		sum = sum + secret.follow(20);
		for (size_t k = 0; k < all.size(); k++)
			all[k] = (int)mixed(k + i);
		std::sort(all.begin(), all.end(),
			  [](int a, int b) { return mixed(a) < mixed(b); });
	}
	return 0;
}
