/* serve MODE REQUESTS SEED [DEARER]: a program that answers made-up requests,
 * for judging what perfpair diff says of it.
 *
 * Each request goes through five functions whose costs vary from request to
 * request; REQUESTS are always answered, however long it takes.  DEARER is by
 * how many percent render() costs more.  MODE:
 *	phases	kinds of requests come in spells
 *	threads	four threads share the work
 *	bursts	now and then a cache is rebuilt
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS	 4
#define UNIT	 400  /* steps of a function at cost 1 */
#define SPELL	 600  /* requests of one kind, at the mean */
#define BURST_AT 4000 /* requests between bursts, at the mean */

struct server {
	uint64_t seed;
	long request_nr;
	int dearer_pct;
	int kind;
	const char *mode;
	volatile uint64_t sink;
};

static uint64_t next(struct server *s)
{
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	return s->seed >> 33;
}

/* The work of one call; each function below has a loop of its own. */
#define WORK(s, cost)                                                       \
	do {                                                                \
		uint64_t acc = (s)->sink;                                   \
		for (uint64_t i = 0; i < (uint64_t)(cost); i++)             \
			acc = acc * 2862933555777941757u + 3037000493u + i; \
		(s)->sink = acc;                                            \
	} while (0)

#define FUNCTION(name)                                                        \
	__attribute__((noinline, noclone)) static void name(struct server *s, \
							    uint64_t cost)    \
	{                                                                     \
		WORK(s, cost);                                                \
	}

FUNCTION(parse)
FUNCTION(lookup)
FUNCTION(render)
FUNCTION(pack)
FUNCTION(rebuild)

static void answer(struct server *s)
{
	static const uint64_t costs[3][4] = {
		{ 2, 3, 10, 5 },
		{ 4, 9, 3, 2 },
		{ 1, 2, 6, 12 },
	};
	const uint64_t *c = costs[s->kind];
	uint64_t more = UNIT / 2 + next(s) % UNIT; /* half to one and a half */

	parse(s, c[0] * more);
	lookup(s, c[1] * more);
	render(s, c[2] * more * (uint64_t)(100 + s->dearer_pct) / 100);
	pack(s, c[3] * more);
	if (strcmp(s->mode, "bursts") == 0 && next(s) % BURST_AT == 0)
		rebuild(s, 2000u * UNIT);
}

static void *serve(void *arg)
{
	struct server *s = arg;

	for (long i = 0; i < s->request_nr; i++) {
		if (strcmp(s->mode, "phases") != 0 || next(s) % SPELL == 0)
			s->kind = (int)(next(s) % 3);
		answer(s);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct server servers[THREADS] = { 0 };
	pthread_t threads[THREADS];
	int nr;

	if (argc < 4) {
		fprintf(stderr, "usage: serve MODE REQUESTS SEED [DEARER]\n");
		return 2;
	}
	nr = strcmp(argv[1], "threads") == 0 ? THREADS : 1;
	for (int i = 0; i < nr; i++) {
		servers[i].mode = argv[1];
		servers[i].request_nr = atol(argv[2]) / nr;
		servers[i].seed =
			strtoull(argv[3], NULL, 10) * THREADS + (uint64_t)i;
		servers[i].dearer_pct = argc > 4 ? atoi(argv[4]) : 0;
	}
	for (int i = 1; i < nr; i++) {
		if (pthread_create(&threads[i], NULL, serve, &servers[i]))
			return 1;
	}
	serve(&servers[0]);
	for (int i = 1; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
