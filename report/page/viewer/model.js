// model.js: what one looks at, and what follows from it: computed when it is asked
// for, and kept until what it depends on changes.

import { sidesOf } from './data.js';
import { addUp, byFunction, outermost, selectWeights } from './select.js';
import { invertedTree, moved, nodeOf, plainTree, reshape } from './tree.js';
import { newAndGone, nodeChanges } from './chance.js';
import { colourFunctions, fillsOf, ink } from './colour.js';

/** @typedef {import('./data.js').Page} Page */
/** @typedef {import('./data.js').Shape} Shape */
/** @typedef {import('./select.js').Selection} Selection */
/** @typedef {import('./select.js').Weights} Weights */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./hash.js').State} State */

export class Model {
	/**
	 * @param {Page} page
	 * @param {State} state
	 */
	constructor(page, state) {
		this.page = page;
		this.state = state;
		/** @type {Map<string, {key: string, value: any}>} */
		this.kept = new Map();
	}

	/**
	 * @template T
	 * @param {string} name
	 * @param {any[]} on
	 * @param {() => T} make
	 * @returns {T}
	 */
	keep(name, on, make) {
		const key = JSON.stringify(on), kept = this.kept.get(name);
		if (kept && kept.key === key)
			return kept.value;
		const value = make();
		this.kept.set(name, {key, value});
		return value;
	}

	event() {
		return this.page.events[this.state.event];
	}

	eventHead() {
		return this.page.head.events[this.state.event];
	}

	selectionKey() {
		const {event, range, cpus, lanes} = this.state;
		return [event, range, cpus, lanes, this.byChange()];
	}

	/** @returns {Selection} */
	selection() {
		const {range, cpus, lanes} = this.state, {head} = this.page;
		return this.keep('selection', this.selectionKey(), () => ({from: range ? range.from : 0,
			to: range ? range.to : Infinity, cpus: maskOf(cpus, head.cpus.length), lanes: maskOf(lanes, head.lanes.length)}));
	}

	/** The tree's shape after the steps. @returns {{shape: Shape, to: Int32Array | null}} */
	shape() {
		const {event, steps} = this.state;
		return this.keep('shape', [event, steps], () => steps.length ? reshape(this.page, this.event(), steps)
			: {shape: this.event(), to: null});
	}

	/** Whether a comparison shows its new runs and what vanished, not all runs or those that are chosen. */
	byChange() {
		return Boolean(this.page.head.diff) && this.state.colour === 'change' && !this.state.lanes.length;
	}

	/** What is selected of a run, or of all that the selection has, on the shape. @param {Selection} sel @returns {Weights} */
	weigh(sel) {
		const plain = selectWeights(this.event(), sel), {shape, to} = this.shape();
		if (!to)
			return plain;
		const {self, selfSamples} = moved(plain, to, shape.n);
		return addUp(shape, self, selfSamples);
	}

	/**
	 * A comparison's two sides, what each run weighs, and how each node changed.  Hosts of a fleet without samples of
	 * the event do not count in it.
	 */
	nodes() {
		const {event, range, cpus, steps} = this.state;
		return this.keep('nodes', [event, range, cpus, steps], () => {
			const {head} = this.page, {diff} = head, {shape} = this.shape(), {unit, totals} = this.measured();
			const sel = this.selection(), shares = unit === '%';
			let lane = 0;
			const of = sidesOf(head).slice(0, 2).map((side, s) => side.map((run, r) => {
				const one = {...sel, lanes: maskOf([lane++], head.lanes.length)}, w = this.weigh(one), event = this.event();
				const all = range || cpus.length || steps.length ? selectWeights(event, {...one, from: 0, to: Infinity, cpus: null}) : w;
				const in_ = shares ? selectWeights(event, one) : all;
				return {w, lost: (run.lost_pct || 0) / 100, period: in_.total[0], samples: in_.samples[0], counts: all.total[0] > 0,
					factor: in_.total[0] ? (shares ? 100 : totals ? totals[s][r] : 0) / in_.total[0] : 0};
			})).map((list) => head.lane && list.some((r) => r.counts) ? list.filter((r) => r.counts) : list);
			const pairs = head.pairs === true && of.every((list, s) => list.length === sidesOf(head)[s].length);
			const sides = /** @type {[import('./chance.js').Side, import('./chance.js').Side]} */ (of.map((runs) => ({
				factor: runs.map((r) => r.factor), period: runs.map((r) => r.period), samples: runs.map((r) => r.samples),
				lost: runs.map((r) => r.lost)})));
			const runs = /** @type {[Weights[], Weights[]]} */ (of.map((list) => list.map((r) => r.w)));
			const between = diff.tested && diff.variance === 'between runs';
			const {kind, at} = nodeChanges(shape, sides, runs, shares, between, between && pairs);
			const whole = (/** @type {number} */ s) => sides[s].period.reduce((a, b) => a + b, 0);
			const scale = shares ? whole(1) / whole(0) : runs[1].length / runs[0].length;
			return {kind, at, unit, ...newAndGone(shape, runs, kind, scale || 0)};
		});
	}

	/** What the rows of a comparison are in, and of each run the sum of them. @returns {{unit: string, totals: number[][] | null}} */
	measured() {
		return {unit: '', totals: null};
	}

	/** @returns {Weights} */
	weights() {
		return this.keep('weights', [this.selectionKey(), this.state.steps], () => {
			if (this.byChange()) {
				const {self, selfSamples} = this.nodes();
				return addUp(this.shape().shape, self, selfSamples);
			}
			const plain = this.keep('plain', this.selectionKey(), () => selectWeights(this.event(), this.selection()));
			const {shape, to} = this.shape();
			if (!to)
				return plain;
			const {self, selfSamples} = moved(plain, to, shape.n);
			return addUp(shape, self, selfSamples);
		});
	}

	outer() {
		return this.keep('outer', [this.state.event, this.state.steps], () => outermost(this.shape().shape, this.page.functions));
	}

	functions() {
		return this.keep('functions', [this.selectionKey(), this.state.steps],
			() => byFunction(this.shape().shape, this.weights(), this.outer(), this.page.functions));
	}

	/** @returns {Tree} */
	tree() {
		return this.keep('tree', [this.selectionKey(), this.state.steps, this.state.invert], () => {
			const {shape} = this.shape(), w = this.weights();
			return this.state.invert ? invertedTree(shape, w) : plainTree(shape, w);
		});
	}

	/** The period of all that is selected and not dropped. */
	whole() {
		return this.weights().total[0];
	}

	zoomNode() {
		return this.keep('zoom', [this.selectionKey(), this.state.steps, this.state.invert, this.state.zoom],
			() => nodeOf(this.tree(), this.state.zoom).id);
	}

	selectedNode() {
		return this.keep('node', [this.selectionKey(), this.state.steps, this.state.invert, this.state.path],
			() => nodeOf(this.tree(), this.state.path).id);
	}

	/** Whether a text has what is searched for; null without a search. */
	pattern() {
		return this.state.query ? patternOf(this.state.query) : null;
	}

	/** @returns {Uint8Array | null} 1 for each function that is searched for */
	match() {
		return this.keep('match', [this.state.query], () => {
			const test = this.pattern(), {page} = this;
			if (!test)
				return null;
			const out = new Uint8Array(page.functions);
			for (let f = 1; f < page.functions; f++)
				if (test(page.name[f]) || test(page.dso[f]))
					out[f] = 1;
			return out;
		});
	}

	/** Nodes of the shape with a searched function at or above them. */
	matchedNodes() {
		const match = this.match();
		return this.keep('matched', [this.state.event, this.state.steps, this.state.query], () => {
			const {shape} = this.shape(), mask = new Uint8Array(shape.n);
			if (match)
				for (let i = 1; i < shape.n; i++)
					mask[i] = mask[shape.parent[i]] | match[shape.func[i]];
			return mask;
		});
	}

	/** What all stacks with a searched function weigh, each counted once. */
	matchedWeight() {
		return this.keep('found', [this.selectionKey(), this.state.steps, this.state.query], () => {
			const mask = this.matchedNodes(), {self, selfSamples} = this.weights();
			let weight = 0, samples = 0;
			for (let i = 1; i < mask.length; i++)
				if (mask[i]) {
					weight += self[i];
					samples += selfSamples[i];
				}
			return {weight, samples};
		});
	}

	/** The nodes of the event that the timelines lift out, null for all. @returns {Uint8Array | null} */
	marked() {
		const {query, fn, zoom, event, steps, invert} = this.state;
		if (!query && !fn && !zoom.length && !steps.length)
			return null;
		return this.keep('marked', [event, steps, query, fn, query || fn ? 0 : [zoom, invert, this.selectionKey()]], () => {
			const {shape, to} = this.shape();
			/** @type {Uint8Array} */
			let mask;
			if (query) {
				mask = this.matchedNodes();
			} else {
				mask = new Uint8Array(shape.n);
				if (fn)
					for (let i = 1; i < shape.n; i++)
						mask[i] = shape.func[i] === fn ? 1 : mask[shape.parent[i]];
				else if (zoom.length)
					this.tree().mark(this.zoomNode(), mask);
				else
					mask.fill(1);
			}
			return to ? Uint8Array.from(to, (i) => i < 0 ? 0 : mask[i]) : mask;
		});
	}

	/** Times without samples of the event. @returns {import('./timeline.js').Gap[]} */
	gaps() {
		const {losses, throttles = []} = this.page.head;
		return this.keep('gaps', [this.state.event], () => [...losses.map((l) => ({...l, throttled: false})),
			...throttles.filter((t) => t.event < 0 || t.event === this.state.event).map((t) => ({...t, throttled: true}))]);
	}

	/**
	 * The colours' class of a node: by change its own; callers of what changed are grey.
	 * @param {number} f
	 * @param {number} id
	 */
	kindOf(f, id) {
		const change = this.state.colour === 'change';
		return !change || this.state.invert && this.tree().depth(id) === 1 ? this.colours().of[f] : this.state.invert ? 0 : this.nodes().kind[id];
	}

	colours() {
		const change = this.state.colour === 'change';
		return this.keep('colours', [this.state.event, this.state.colour, change && [this.selectionKey(), this.state.steps]], () => {
			const tree = this.event(), own = new Float64Array(this.page.functions);
			for (let i = 0; i < tree.n; i++)
				for (let e = tree.offset[i]; e < tree.offset[i + 1]; e++)
					own[tree.func[i]] += tree.period[e];
			const colours = colourFunctions(this.page, this.state.colour, own, () => this.changeKinds());
			if (change) {
				const {self} = this.weights(), {kind} = this.nodes();
				colours.classes.forEach((c) => c.total = 0);
				self.forEach((v, i) => colours.classes[kind[i]].total += v);
			}
			return colours;
		});
	}

	/** How each function changed: changes.js. @returns {Uint8Array} */
	changeKinds() {
		return new Uint8Array(this.page.functions);
	}

	/**
	 * @param {number} f
	 * @param {number} [kind] of colours
	 */
	fill(f, kind = this.colours().of[f]) {
		const colours = this.colours();
		const fills = this.keep('fills', [this.state.event, this.state.colour, ink().text], () => fillsOf(colours));
		return f ? fills[kind * 3 + colours.shade[f]] : 'transparent';
	}
}

/**
 * @param {number[]} chosen
 * @param {number} n
 */
function maskOf(chosen, n) {
	if (!chosen.length)
		return null;
	const mask = new Uint8Array(n);
	for (const i of chosen)
		mask[i] = 1;
	return mask;
}

/**
 * A regular expression without regard to case unless it has capitals; what is no
 * regular expression is looked for as it stands.
 * @param {string} query
 * @returns {(text: string) => boolean}
 */
function patternOf(query) {
	try {
		const pattern = new RegExp(query, /[A-Z]/.test(query) ? '' : 'i');
		return (text) => pattern.test(text);
	} catch {
		const low = query.toLowerCase();
		return (text) => text.toLowerCase().includes(low);
	}
}
