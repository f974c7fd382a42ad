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
 * Own period and samples of each node; the totals are still those of the node alone.
 * @param {EventTree} tree
 * @param {Selection} sel
 * @returns {Weights}
 */
export function selectWeights(tree, sel) {
	const {n, offset, bin, cpu, lane, samples, period} = tree;
	const self = new Float64Array(n), selfSamples = new Float64Array(n);
	const {from, to, cpus, lanes} = sel;
	for (let i = 0; i < n; i++) {
		let sum = 0, count = 0;
		for (let e = offset[i], end = offset[i + 1]; e < end; e++) {
			const b = bin[e];
			if (b < from)
				continue;
			if (b >= to)
				break;
			if (cpus && cpu && !cpus[cpu[e]] || lanes && lane && !lanes[lane[e]])
				continue;
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
	const {n, offset, bin, samples} = tree;
	const key = how.by === 'cpu' ? tree.cpu : how.by === 'lane' ? tree.lane : null;
	const out = new Float64Array(rows * columns);
	const cpus = sel && tree.cpu ? sel.cpus : null, lanes = sel && tree.lane ? sel.lanes : null;
	const cpu = tree.cpu, lane = tree.lane;
	for (let i = 0; i < n; i++) {
		if (only && !only[i])
			continue;
		for (let e = offset[i], end = offset[i + 1]; e < end; e++) {
			if (cpus && cpu && !cpus[cpu[e]] || lanes && lane && !lanes[lane[e]])
				continue;
			const row = rowOf ? key ? rowOf[key[e]] : -1 : 0;
			if (row >= 0)
				out[row * columns + Math.floor(bin[e] / group)] += samples[e];
		}
	}
	return out;
}
