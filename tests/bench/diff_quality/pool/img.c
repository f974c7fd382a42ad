/* Filters over made-up pictures; tone() is made dearer by DEARER percent of its
 * loop. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#define W     640
#define H     480
#define TERMS 20 + (20 * DEARER + 50) / 100
static float a[H][W], b[H][W], c[H][W];
static int hist[256];
#define F __attribute__((noinline)) void
F fill(uint32_t s)
{
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			s = s * 1664525u + 1013904223u;
			a[y][x] = (s >> 24) * 0.5f + (x ^ y) % 100;
		}
}
F blur(void)
{
	for (int y = 2; y < H - 2; y++)
		for (int x = 2; x < W - 2; x++) {
			float t = 0;
			for (int j = -2; j <= 2; j++)
				for (int i = -2; i <= 2; i++)
					t += a[y + j][x + i];
			b[y][x] = t / 25;
		}
}
F sobel(void)
{
	for (int y = 1; y < H - 1; y++)
		for (int x = 1; x < W - 1; x++) {
			float gx = b[y - 1][x + 1] + 2 * b[y][x + 1] +
				   b[y + 1][x + 1] - b[y - 1][x - 1] -
				   2 * b[y][x - 1] - b[y + 1][x - 1];
			float gy = b[y + 1][x - 1] + 2 * b[y + 1][x] +
				   b[y + 1][x + 1] - b[y - 1][x - 1] -
				   2 * b[y - 1][x] - b[y - 1][x + 1];
			c[y][x] = sqrtf(gx * gx + gy * gy);
		}
}
F histogram(void)
{
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			hist[(int)b[y][x] & 255]++;
}
F median(void)
{
	for (int y = 1; y < H - 1; y += 2)
		for (int x = 1; x < W - 1; x += 2) {
			float v[9];
			int n = 0;
			for (int j = -1; j <= 1; j++)
				for (int i = -1; i <= 1; i++) {
					float t = a[y + j][x + i];
					int k = n++;
					while (k && v[k - 1] > t) {
						v[k] = v[k - 1];
						k--;
					}
					v[k] = t;
				}
			c[y][x] += v[4];
		}
}
__attribute__((noinline)) float tone(float v)
{
	float s = 0, t = 1;
	for (int i = 1; i <= (TERMS); i++) {
		t *= v / i;
		s += t;
	}
	return s;
}
F map_tones(void)
{
	for (int y = 0; y < H; y += 2)
		for (int x = 0; x < W; x += 3)
			c[y][x] = tone(b[y][x] * 0.01f);
}
F transpose(void)
{
	for (int y = 0; y < H; y++)
		for (int x = 0; x < H; x++) {
			float t = b[y][x];
			b[y][x] = c[x][y];
			c[x][y] = t;
		}
}
int main(void)
{
	float s = 0;
	for (int r = 0; r < 55; r++) {
		fill(r);
		blur();
		sobel();
		histogram();
		median();
		map_tones();
		transpose();
		s += c[100][100];
	}
	printf("%f %d\n", s, hist[7]);
	return 0;
}
