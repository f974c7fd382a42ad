// chance.js: what of a change is more than chance, from run to run: the estimates of
// report/diff/diff_estimate.h for any part of the runs, with each row's own variance.

/** @typedef {import('./select.js').Weights} Weights */
/** @typedef {import('./select.js').Shape} Shape */
/**
 * One side: of each run what its samples are called in the rows' unit: value = period * factor;
 * its period, samples and share of lost samples.
 * @typedef {{factor: number[], period: number[], samples: number[], lost: number[]}} Side
 */
/** @typedef {{value: number, nr: number, chance: number, variance: number, df: number, down: number, up: number}} Estimate */
/**
 * low, high: NaN without several runs on both sides; p: NaN if it is not tested.
 * @typedef {{was: Estimate, now: Estimate, delta: number, low: number, high: number, p: number}} Moved
 */

/** Kinds of changes, as colour.js shows them. */
export const CHANGE = {none: 0, more: 1, less: 2, added: 3, gone: 4, seemsMore: 5, seemsLess: 6};

/** Rows with fewer samples are not tested; below the second number chance gives the least variance. */
const TESTED = 10, FEW = 50;

/** @param {number} x */
function logGamma(x) {
	let low = 0;
	for (; x < 12; x++)
		low -= Math.log(x);
	return low + (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + (1 - (1 / 30 - 1 / (105 * x * x)) / (x * x)) / (12 * x);
}

/**
 * P(|T| > t), by the continued fraction DLMF 8.17.22.
 * @param {number} t
 * @param {number} df
 */
export function tTest(t, df) {
	let x = df / (df + t * t), a = df / 2, b = 0.5;
	if (!(x < 1))
		return 1;
	const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
	const turned = x >= (a + 1) / (a + b + 2);
	if (turned)
		[x, a, b] = [1 - x, b, a];
	let c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), f = d;
	for (let m = 1; m < 400 && (m < 2 || Math.abs(c * d - 1) > 1e-15); m++)
		for (const step of [m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))]) {
			d = 1 / (1 + step * d);
			c = 1 + step / c;
			f *= c * d;
		}
	return turned ? 1 - front * f / a : front * f / a;
}

/** @type {Map<number, number>} */
const criticals = new Map();

/**
 * The t that chance exceeds in 5 of 100 cases.
 * @param {number} df
 */
export function tCritical(df) {
	let low = criticals.get(df) || 0, high = 1;
	if (low || !(df > 0))
		return low || NaN;
	while (tTest(high, df) > 0.05)
		high *= 2;
	for (let i = 0; i < 50; i++)
		if (tTest((low + high) / 2, df) > 0.05)
			low = (low + high) / 2;
		else
			high = (low + high) / 2;
	criticals.set(df, high);
	return high;
}

/**
 * A row on one side: its value and samples in each run; most: the greatest value.
 * @param {Side} side
 * @param {number[]} values
 * @param {number[]} counts
 * @param {number} most
 * @returns {Estimate}
 */
function estimate(side, values, counts, most) {
	const n = values.length, value = values.reduce((a, b) => a + b, 0) / n, nr = counts.reduce((a, b) => a + b, 0);
	let chance = 0, variance = 0, down = 0, up = 0;
	values.forEach((v, r) => {
		const all = side.samples[r] + 4, share = (counts[r] + 2) / all, lost = side.lost[r];
		const scale = most < Infinity ? most * most * (1 - share) : (side.period[r] * side.factor[r]) ** 2;
		if (!side.period[r])
			return;
		chance += share / all * scale / (n * n);
		down += most < Infinity ? lost * v / n : 0;
		up += most < Infinity ? lost * (most - v) / n : lost < 1 ? v * lost / (1 - lost) / n : 0;
	});
	for (const v of values)
		variance += (v - value) ** 2 / (n * (n - 1));
	if (nr < FEW || Math.sqrt(variance) <= 1e-12 * value && value < most * (1 - 1e-12))
		variance = Math.max(variance, chance);
	return {value, nr, chance, variance, df: n - 1, down, up};
}

/**
 * @param {Estimate} was
 * @param {Estimate} now
 * @param {number} most
 * @param {number} [both] the covariance of the means of pairs
 * @returns {Moved}
 */
function movedOf(was, now, most, both) {
	const sum = was.variance + now.variance, delta = now.value - was.value;
	const error = Math.sqrt(both === undefined ? sum : Math.max(sum - 2 * both, 1e-13 * sum));
	const up = now.up + was.down, down = now.down + was.up, a = was.chance, b = now.chance;
	const df = both === undefined ? (a + b) ** 2 / (a * a / was.df + b * b / now.df) : now.df, reach = error > 0 ? error * tCritical(df) : error;
	const sure = Math.max(0, Math.abs(delta) - (delta > 0 ? down : up));
	return {was, now, delta, low: Math.max(delta - reach - down, -most), high: Math.min(delta + reach + up, most),
		p: error > 0 && was.nr + now.nr >= TESTED ? tTest(sure / error, df) : NaN};
}

/**
 * Rows of two sides, as a diff of them has.
 * @param {[Side, Side]} sides
 * @param {boolean} shares values are shares of 100 %
 * @param {boolean} pairs run i of both sides is one host's: its own level cancels
 */
export function comparer(sides, shares, pairs) {
	const most = shares ? 100 : Infinity;
	/** @type {(values: number[][], counts: number[][]) => Moved} */
	return (values, counts) => {
		const [was, now] = sides.map((side, s) => estimate(side, values[s], counts[s], most)), n = values[0].length;
		return movedOf(was, now, most, pairs && was.nr && now.nr ?
			values[0].reduce((sum, v, r) => sum + (v - was.value) * (values[1][r] - now.value), 0) / (n * (n - 1)) : undefined);
	};
}

/**
 * The change of a run's total; its own scatter weighs the degrees of freedom.
 * @param {number[][]} totals by side and run
 * @param {number[][]} lost shares
 */
export function totalsMoved(totals, lost) {
	const [was, now] = totals.map((values, s) => {
		const many = values.map(() => 1e12);
		const one = estimate({factor: values.map(() => 1), period: values, samples: many, lost: lost[s]}, values, many, Infinity);
		return {...one, chance: one.variance};
	});
	return movedOf(was, now, Infinity);
}

/**
 * Which p values are significant: false discovery rate 5 %, weighted by the eighth root of samples (diff_change.c).
 * @param {Moved[]} rows
 * @returns {boolean[]}
 */
export function significant(rows) {
	const weight = rows.map((r) => r.p >= 0 ? (r.was.nr + r.now.nr) ** 0.125 : 0);
	const sum = weight.reduce((a, b) => a + b, 0), tests = weight.filter((w) => w > 0).length;
	const p = rows.map((r, i) => weight[i] ? r.p * sum / tests / weight[i] : 2);
	const sorted = Float64Array.from(p).sort();
	let k = tests;
	while (k && sorted[k - 1] > 0.05 * k / tests)
		k--;
	return p.map((v) => k > 0 && v <= sorted[k - 1]);
}

/**
 * How each node of a shape changed.  Without several runs a side it only seems so: more than counting explains.
 * @param {Shape} shape
 * @param {[Side, Side]} sides
 * @param {[Weights[], Weights[]]} runs
 * @param {boolean} shares
 * @param {boolean} tested
 * @param {boolean} pairs
 */
export function nodeChanges(shape, sides, runs, shares, tested, pairs) {
	const compare = comparer(sides, shares, pairs), kind = new Uint8Array(shape.n);
	const at = (/** @type {number} */ i) => compare(runs.map((side, s) => side.map((w, r) => w.total[i] * sides[s].factor[r])),
		runs.map((side) => side.map((w) => w.samples[i])));
	const ids = [], rows = /** @type {Moved[]} */ ([]);
	for (let i = 1; i < shape.n; i++)
		if (runs[0].concat(runs[1]).reduce((sum, w) => sum + w.samples[i], 0) >= TESTED) {
			ids.push(i);
			rows.push(at(i));
		}
	const marked = tested ? significant(rows) : rows.map((r) => Math.abs(r.delta) > 2 * Math.sqrt(r.was.chance + r.now.chance));
	ids.forEach((id, k) => {
		const {was, now, delta} = rows[k];
		if (marked[k])
			kind[id] = !was.nr ? CHANGE.added : !now.nr ? CHANGE.gone : (delta > 0 ? CHANGE.more : CHANGE.less) + (tested ? 0 : 4);
	});
	return {kind, at};
}

/**
 * The new runs, and what vanished of the old ones: as much as `scale` makes of it.
 * @param {Shape} shape
 * @param {[Weights[], Weights[]]} runs
 * @param {Uint8Array} kind
 * @param {number} scale
 * @returns {{self: Float64Array, selfSamples: Float64Array, vanished: number}}
 */
export function newAndGone(shape, runs, kind, scale) {
	const self = new Float64Array(shape.n), selfSamples = new Float64Array(shape.n);
	let vanished = 0, until = 0;
	for (let i = 0; i < shape.n; i++) {
		for (const w of runs[1]) {
			self[i] += w.self[i];
			selfSamples[i] += w.selfSamples[i];
		}
		if (kind[i] === CHANGE.gone)
			until = Math.max(until, shape.end[i]);
		if (i < until)
			for (const w of runs[0]) {
				self[i] += w.self[i] * scale;
				selfSamples[i] += w.selfSamples[i] * scale;
				vanished += w.self[i] * scale;
			}
	}
	return {self, selfSamples, vanished};
}
