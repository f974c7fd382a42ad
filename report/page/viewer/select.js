// select.js: what of an event is selected, and what each node of its tree counts then.

/** @typedef {import('./data.js').EventTree} EventTree */
/** @typedef {import('./data.js').Shape} Shape */
/**
 * Bins from `from` up to, without, `to`; of CPUs and lanes those that are not 0
 * in the mask, all without one.
 * @typedef {{from: number, to: number, cpus: Uint8Array | null, lanes: Uint8Array | null}} Selection
 */
/**
 * By node: own period and samples, and with all below.
 * @typedef {{self: Float64Array, selfSamples: Float64Array, total: Float64Array,
 *   samples: Float64Array}} Weights
 */

/**
 * 1 for each cell on selected CPUs and in selected lanes, within the range or not.
 * @param {EventTree} tree
 * @param {Selection | undefined} sel
 */
function chosenCells(tree, sel) {
	const {bin, cpu, lane} = tree.cells, out = new Uint8Array(bin.length).fill(1);
	const cpus = sel && sel.cpus, lanes = sel && sel.lanes;
	if (cpus || lanes)
		for (let c = 0; c < out.length; c++)
			if (cpus && !cpus[cpu[c]] || lanes && !lanes[lane[c]])
				out[c] = 0;
	return out;
}

/**
 * Own period and samples of each node, and totals.
 * @param {EventTree} tree
 * @param {Selection} sel
 * @returns {Weights}
 */
export function selectWeights(tree, sel) {
	const {n, offset, cells, cell, samples, period} = tree;
	const self = new Float64Array(n), selfSamples = new Float64Array(n);
	const chosen = chosenCells(tree, sel);
	for (let c = 0; c < chosen.length; c++)
		if (cells.bin[c] < sel.from || cells.bin[c] >= sel.to)
			chosen[c] = 0;
	for (let i = 0; i < n; i++) {
		let sum = 0, count = 0;
		for (let e = offset[i], end = offset[i + 1]; e < end; e++)
			if (chosen[cell[e]]) {
				sum += period[e];
				count += samples[e];
			}
		self[i] = sum;
		selfSamples[i] = count;
	}
	return addUp(tree, self, selfSamples);
}

/**
 * Totals by one pass from the last node to the first.
 * @param {Shape} shape
 * @param {Float64Array} self
 * @param {Float64Array} selfSamples
 * @returns {Weights}
 */
export function addUp(shape, self, selfSamples) {
	const total = self.slice(), samples = selfSamples.slice();
	const parent = shape.parent;
	for (let i = shape.n - 1; i > 0; i--) {
		total[parent[i]] += total[i];
		samples[parent[i]] += samples[i];
	}
	return {self, selfSamples, total, samples};
}

/**
 * 1 for each node that has no ancestor of its own function: what is counted once
 * where a function calls itself.
 * @param {Shape} shape
 * @param {number} functions
 */
export function outermost(shape, functions) {
	const {n, func, parent, depth} = shape;
	const open = new Int32Array(functions), out = new Uint8Array(n);
	let before = 0;
	for (let i = 1; i < n; i++) {
		for (; before > 0 && depth[before] >= depth[i]; before = parent[before])
			open[func[before]]--;
		if (open[func[i]]++ === 0)
			out[i] = 1;
		before = i;
	}
	return out;
}

/**
 * Own and total period and samples of each function.
 * @param {Shape} shape
 * @param {Weights} weights
 * @param {Uint8Array} outer
 * @param {number} functions
 * @returns {Weights}
 */
export function byFunction(shape, weights, outer, functions) {
	const self = new Float64Array(functions), selfSamples = new Float64Array(functions);
	const total = new Float64Array(functions), samples = new Float64Array(functions);
	const func = shape.func;
	for (let i = 1; i < shape.n; i++) {
		const f = func[i];
		self[f] += weights.self[i];
		selfSamples[f] += weights.selfSamples[i];
		if (outer[i]) {
			total[f] += weights.total[i];
			samples[f] += weights.samples[i];
		}
	}
	return {self, selfSamples, total, samples};
}

/**
 * Samples by row and column of time; a column is `group` bins.  rowOf says by CPU
 * or by lane which row an entry is in, -1 for none; `only` leaves out the nodes
 * that are 0 in it; of sel CPUs and lanes count.
 * @param {EventTree} tree
 * @param {{columns: number, group: number, rows: number, by?: 'cpu' | 'lane',
 *   rowOf?: Int32Array, only?: Uint8Array | null, sel?: Selection}} how
 * @returns {Float64Array} rows times columns
 */
export function histogram(tree, how) {
	const {columns, group, rows, only, sel, rowOf} = how;
	const {n, offset, cells, cell, samples} = tree;
	const key = how.by ? cells[how.by] : null;
	const out = new Float64Array(rows * columns);
	const chosen = chosenCells(tree, sel), place = new Int32Array(chosen.length);
	for (let c = 0; c < place.length; c++) {
		const row = rowOf ? key ? rowOf[key[c]] : -1 : 0;
		place[c] = chosen[c] && row >= 0 ? row * columns + Math.floor(cells.bin[c] / group) : -1;
		if (!only && place[c] >= 0)
			out[place[c]] += cells.samples[c];
	}
	for (let i = 0; only && i < n; i++)
		for (let e = offset[i], end = only[i] ? offset[i + 1] : 0; e < end; e++)
			if (place[cell[e]] >= 0)
				out[place[cell[e]]] += samples[e];
	return out;
}
