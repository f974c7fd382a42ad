// Words of a text counted; normalise() is made dearer by DEARER percent of its
// loop.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
#define PASSES 20 + (20 * DEARER + 50) / 100
__attribute__((noinline)) std::string make_text(uint64_t s)
{
	std::string t;
	for (int i = 0; i < 60000; i++) {
		s = s * 6364136223846793005u + 1442695040888963407u;
		int n = 2 + (s >> 60) % 9;
		for (int k = 0; k < n; k++)
			t += char((k % 3 ? 'a' : 'A') + (s >> (3 * k)) % 13);
		t += ' ';
	}
	return t;
}
__attribute__((noinline)) uint32_t normalise(const char *p, size_t n)
{
	uint32_t h = 0;
	for (size_t i = 0; i < (PASSES); i++) {
		h = (h ^ (uint32_t)(p[i % n] | 32)) * 16777619u;
	}
	return h;
}
__attribute__((noinline)) std::vector<std::string> split(const std::string &t)
{
	std::vector<std::string> w;
	size_t a = 0;
	while (a < t.size()) {
		size_t b = t.find(' ', a);
		w.push_back(t.substr(a, b - a));
		a = b + 1;
	}
	return w;
}
__attribute__((noinline)) uint64_t count(const std::vector<std::string> &w)
{
	std::unordered_map<std::string, int> m;
	for (auto &x : w)
		m[x]++;
	uint64_t s = 0;
	for (auto &e : m)
		s += e.second * e.first.size();
	return s;
}
__attribute__((noinline)) uint64_t
index_words(const std::vector<std::string> &w)
{
	std::map<std::string, int> m;
	for (size_t i = 0; i < w.size(); i += 4)
		m[w[i]] = i;
	return m.size();
}
__attribute__((noinline)) uint32_t hash_all(const std::vector<std::string> &w)
{
	uint32_t h = 0;
	for (size_t i = 0; i < w.size(); i++)
		h += normalise(w[i].data(), w[i].size());
	return h;
}
__attribute__((noinline)) void order(std::vector<std::string> &w)
{
	std::sort(w.begin(), w.begin() + w.size() / 3);
}
int main()
{
	uint64_t s = 0;
	for (int r = 0; r < 42; r++) {
		auto t = make_text(r);
		auto w = split(t);
		s += count(w) + index_words(w) + hash_all(w);
		order(w);
		s += w[100].size();
	}
	printf("%lu\n", s);
}
