#!/bin/sh
# quickstart.sh: from a fresh Debian 12 to a first profile, with nothing to
# edit: installs what is missing, builds, records three seconds of a small shop
# whose functions have plain names, and shows where its time went: a table, a
# call graph, and a page for the browser.
set -eu
cd "$(dirname "$0")"
. tests/packages.sh

level=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 2)
recorder=build/release/record/perfpair-record
reader=build/release/report/perfpair
as_root=
if [ "$(id -u)" != 0 ] && [ "$level" -gt 2 ]; then
	if ! command -v sudo >/dev/null; then
		echo "only root may record here: kernel.perf_event_paranoid is $level" >&2
		echo "as root: sysctl kernel.perf_event_paranoid=2, or run this" >&2
		exit 1
	fi
	echo "only root may record here: kernel.perf_event_paranoid is $level;" \
		"sudo runs the recorder"
	as_root=sudo
fi

install_missing $BUILD_PACKAGES
work=build/quickstart
mkdir -p "$work"

echo "building build/release (two minutes; later runs take none)"
if ! { cmake --preset release && cmake --build --preset release; } \
	>"$work/build.log" 2>&1; then
	tail -n 40 "$work/build.log" >&2
	exit 1
fi

cat >"$work/shop.c" <<'EOF'
#include <time.h>

#define ORDERS 4096

static unsigned prices[ORDERS];
static char receipts[ORDERS][64];

static unsigned add_tax(unsigned price)
{
	for (int i = 0; i < 40; i++)
		price = price * 119u / 100u + 7u;
	return price;
}

static void price_orders(void)
{
	for (int i = 0; i < ORDERS; i++)
		prices[i] = add_tax((unsigned)i * 2654435761u);
}

static int is_cheaper(int a, int b)
{
	return prices[a] < prices[b];
}

static void sort_orders(void)
{
	for (int gap = ORDERS / 2; gap; gap /= 2)
		for (int i = gap; i < ORDERS; i++)
			for (int k = i; k >= gap && is_cheaper(k, k - gap); k -= gap) {
				unsigned price = prices[k];

				prices[k] = prices[k - gap];
				prices[k - gap] = price;
			}
}

static void print_receipts(void)
{
	for (int i = 0; i < ORDERS; i++)
		for (int k = 0; k < 20; k++)
			receipts[i][k] = (char)('a' + (prices[i] >> k) % 26);
}

static void serve_customers(void)
{
	price_orders();
	sort_orders();
	print_receipts();
}

int main(void)
{
	time_t end = time(NULL) + 3;

	while (time(NULL) < end)
		serve_customers();
	return 0;
}
EOF
gcc -g -fno-omit-frame-pointer -o "$work/shop" "$work/shop.c"

say() {
	printf '\n$ %s\n' "$*"
}
# The rows of a report, without its head.
rows() {
	"$reader" report --stdio -i "$data" "$@" | grep -v '^#' | grep . || :
}

data=$work/perf.data
rm -f "$data" 2>/dev/null || $as_root rm -f "$data"
say "perfpair-record -g -- shop"
$as_root "$recorder" -q -g -F 999 -o "$data" -- "$work/shop"
[ -z "$as_root" ] || $as_root chown "$(id -u)" "$data"

say "perfpair report --no-children -g none          # the functions that ran most"
rows --no-children -g none | head -n 5

say "perfpair report --no-children -s sym -S add_tax     # who called this one"
rows --no-children -s sym -S add_tax

say "perfpair view                                       # the same, to click through"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] &&
	command -v xdg-open >/dev/null; then
	"$reader" view "$data"
else
	"$reader" report --format html -i "$data" -o "$work/page.html"
	echo "no browser here: open $PWD/$work/page.html in one"
fi

echo
echo "now yours: $recorder -g -- PROGRAM, then $reader report"
