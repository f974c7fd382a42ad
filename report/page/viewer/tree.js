// tree.js: trees as the views draw them: as recorded, changed by steps of the
// user, or merged from a function or from the leaves on.

import { KIND } from './data.js';

/** @typedef {import('./data.js').Shape} Shape */
/** @typedef {import('./data.js').Page} Page */
/** @typedef {import('./select.js').Weights} Weights */
/** A step of the user: f focus, m merge, c collapse, d drop one function; r folds all recursion. */
/** @typedef {{op: string, fn: number}} Step */
/**
 * What is below a node: the children of at least the weight asked for, and how
 * many others with how much.
 * @typedef {{kids: number[], rest: number, restCount: number}} Below
 */
/**
 * @typedef {object} Tree
 * @property {number} root
 * @property {boolean} upward the children of a node are its callers
 * @property {(id: number) => number} func
 * @property {(id: number) => number} parent
 * @property {(id: number) => number} depth
 * @property {(id: number) => number} total
 * @property {(id: number) => number} self
 * @property {(id: number) => number} samples
 * @property {(id: number) => number} selfSamples
 * @property {(id: number, least: number) => Below} below
 * @property {(id: number) => boolean} hasBelow
 * @property {(id: number, mask: Uint8Array) => void} mark sets 1 for the nodes of the shape in this node
 */

/**
 * A shape with its weights as a tree.
 * @param {Shape} shape
 * @param {Weights} w
 * @returns {Tree}
 */
export function plainTree(shape, w) {
	const {func, parent, depth, end} = shape;
	return {
		root: 0,
		upward: false,
		func: (id) => func[id],
		parent: (id) => parent[id],
		depth: (id) => depth[id],
		total: (id) => w.total[id],
		self: (id) => w.self[id],
		samples: (id) => w.samples[id],
		selfSamples: (id) => w.selfSamples[id],
		hasBelow: (id) => w.total[id] > w.self[id],
		below(id, least) {
			const kids = [];
			let rest = 0, restCount = 0;
			for (let c = id + 1; c < end[id]; c = end[c]) {
				const t = w.total[c];
				if (t >= least && t > 0)
					kids.push(c);
				else if (t > 0) {
					rest += t;
					restCount++;
				}
			}
			return {kids, rest, restCount};
		},
		mark: (id, mask) => {
			mask.fill(1, id, end[id]);
		},
	};
}

/**
 * Nodes of one function that are one node of a merged tree.  At: where in the
 * shape it stands; from: where its weight is from.
 * @typedef {{func: number, parent: number, depth: number, total: number, self: number,
 *   samples: number, selfSamples: number, at: number[], from: number[], kids: number[] | null}} Group
 */

/**
 * A tree whose nodes are made when they are asked for.
 * @param {Shape} shape
 * @param {Weights} w
 * @param {boolean} upward children are callers; a node's self is what has no caller
 * @param {boolean} own the weights of `start` are their own, without what is below
 * @param {number[] | Int32Array} start nodes of the shape
 * @param {number} rootFunc the function of the root; 0: the nodes of start are below it
 * @returns {Tree}
 */
export function mergedTree(shape, w, upward, own, start, rootFunc) {
	const {func, parent, depth, end} = shape;
	const weight = own ? w.self : w.total, count = own ? w.selfSamples : w.samples;
	/** @type {Group[]} */
	const groups = [];
	/** @type {(f: number, up: number) => number} */
	const add = (f, up) => groups.push({func: f, parent: up, depth: up < 0 ? 0 : groups[up].depth + 1,
		total: 0, self: 0, samples: 0, selfSamples: 0, at: [], from: [], kids: null}) - 1;
	/** @type {(id: number, at: number, from: number) => void} */
	const put = (id, at, from) => {
		const g = groups[id];
		g.at.push(at);
		g.total += weight[from];
		g.samples += count[from];
		if (upward) {
			g.from.push(from);
			if (parent[at] <= 0) {
				g.self += weight[from];
				g.selfSamples += count[from];
			}
		} else {
			g.self += w.self[at];
			g.selfSamples += w.selfSamples[at];
		}
	};
	/** @type {(id: number) => number[]} */
	const expand = (id) => {
		const g = groups[id];
		if (g.kids)
			return g.kids;
		/** @type {Map<number, number>} */
		const byFunc = new Map();
		const kids = g.kids = /** @type {number[]} */ ([]);
		/** @type {(at: number, from: number) => void} */
		const see = (at, from) => {
			let kid = byFunc.get(func[at]);
			if (kid === undefined) {
				kid = add(func[at], id);
				byFunc.set(func[at], kid);
				kids.push(kid);
			}
			put(kid, at, from);
		};
		for (let k = 0; k < g.at.length; k++) {
			const at = g.at[k];
			if (id === 0 && !rootFunc)
				see(at, at);
			else if (upward && parent[at] > 0)
				see(parent[at], g.from[k]);
			else if (!upward)
				for (let c = at + 1; c < end[at]; c = end[c])
					if (w.total[c] > 0)
						see(c, c);
		}
		return kids;
	};
	add(rootFunc, -1);
	for (const i of start)
		if (weight[i] > 0)
			put(0, i, i);
	if (!rootFunc)
		groups[0].self = groups[0].selfSamples = 0;
	return {
		root: 0,
		upward,
		func: (id) => groups[id].func,
		parent: (id) => groups[id].parent,
		depth: (id) => groups[id].depth,
		total: (id) => groups[id].total,
		self: (id) => groups[id].self,
		samples: (id) => groups[id].samples,
		selfSamples: (id) => groups[id].selfSamples,
		hasBelow: (id) => groups[id].total > groups[id].self,
		below(id, least) {
			const kids = [];
			let rest = 0, restCount = 0;
			for (const kid of expand(id)) {
				if (groups[kid].total >= least)
					kids.push(kid);
				else {
					rest += groups[kid].total;
					restCount++;
				}
			}
			return {kids, rest, restCount};
		},
		mark(id, mask) {
			for (const i of upward ? groups[id].from : groups[id].at)
				if (own)
					mask[i] = 1;
				else
					mask.fill(1, i, end[i]);
		},
	};
}

/**
 * The tree from the leaves on.
 * @param {Shape} shape
 * @param {Weights} w
 */
export function invertedTree(shape, w) {
	const start = [];
	for (let i = 1; i < shape.n; i++)
		if (w.self[i] > 0)
			start.push(i);
	return mergedTree(shape, w, true, true, start, 0);
}

/**
 * What the steps leave of a shape: `to` says for each old node which new one has
 * its samples, -1 for none.
 * @param {Page} page
 * @param {Shape} shape
 * @param {Step[]} steps
 * @returns {{shape: Shape, to: Int32Array}}
 */
export function reshape(page, shape, steps) {
	const focus = new Set(), drop = new Set(), merge = new Set(), collapse = new Set();
	let recursion = false;
	for (const s of steps) {
		if (s.op === 'r')
			recursion = true;
		else
			(s.op === 'f' ? focus : s.op === 'd' ? drop : s.op === 'm' ? merge : collapse).add(s.fn);
	}
	const {n, func, parent} = shape;
	// inside: how many functions of focus are on the way to a node: all must be.
	const to = new Int32Array(n), shut = new Uint8Array(n), gone = new Uint8Array(n);
	const inside = new Int32Array(n), node = new Int32Array(n);
	const made = {n: 1, func: new Int32Array(n), parent: new Int32Array(n)};
	made.parent[0] = -1;
	// A hash table of what was made, by parent and function.
	const bits = Math.ceil(Math.log2(n * 2 + 2)), slots = new Int32Array(2 ** bits);
	/** @type {(up: number, f: number) => number} */
	const child = (up, f) => {
		let at = Math.imul(Math.imul(up, 0x9e3779b1) + f, 0x85ebca6b) >>> 32 - bits;
		for (; slots[at]; at = at + 1 & slots.length - 1)
			if (made.parent[slots[at]] === up && made.func[slots[at]] === f)
				return slots[at];
		slots[at] = made.n;
		made.func[made.n] = f;
		made.parent[made.n] = up;
		return made.n++;
	};
	/** @type {(up: number, f: number) => number} the open node of f at or above up, or -1 */
	const above = (up, f) => {
		for (; up > 0; up = made.parent[up])
			if (made.func[up] === f)
				return up;
		return -1;
	};
	const whole = focus.size > 0;
	to[0] = whole ? -1 : 0;
	for (let i = 1; i < n; i++) {
		const f = func[i], p = parent[i];
		let up = node[p];
		inside[i] = inside[p];
		gone[i] = gone[p] | (drop.has(f) ? 1 : 0);
		shut[i] = shut[p];
		if (focus.has(f) && !seenAbove(func, parent, i)) {
			inside[i]++;
			// The last function of the focus begins the picture.
			if (inside[i] === focus.size)
				up = 0;
		}
		const visible = !whole || inside[i] === focus.size;
		if (!visible || gone[i] || shut[i] || merge.has(f)) {
			node[i] = up;
		} else {
			const same = recursion ? above(up, f) : -1;
			node[i] = same >= 0 ? same : child(up, f);
		}
		if (visible && collapse.has(f))
			shut[i] = 1;
		to[i] = visible && !gone[i] ? node[i] : -1;
	}
	return inPreorder(page, made, to);
}

/**
 * Whether a node has an ancestor of its own function.
 * @param {Int32Array} func
 * @param {Int32Array} parent
 * @param {number} i
 */
function seenAbove(func, parent, i) {
	for (let p = parent[i]; p > 0; p = parent[p])
		if (func[p] === func[i])
			return true;
	return false;
}

/**
 * Nodes in the order in which they were made, made anew in preorder with children
 * by function; to is made to follow.
 * @param {Page} page
 * @param {{n: number, func: Int32Array, parent: Int32Array}} made
 * @param {Int32Array} to
 * @returns {{shape: Shape, to: Int32Array}}
 */
function inPreorder(page, made, to) {
	const {n} = made, order = new Int32Array(n), place = new Int32Array(page.functions + 1);
	for (let i = 0; i < n; i++)
		place[made.func[i] + 1]++;
	for (let f = 0; f < page.functions; f++)
		place[f + 1] += place[f];
	for (let i = 0; i < n; i++)
		order[place[made.func[i]]++] = i;
	// Lists of children: the last function is put in first.
	const first = new Int32Array(n).fill(-1), next = new Int32Array(n).fill(-1);
	for (let k = n - 1; k >= 0; k--) {
		const i = order[k], up = made.parent[i];
		if (up >= 0) {
			next[i] = first[up];
			first[up] = i;
		}
	}
	const func = new Int32Array(n), parent = new Int32Array(n), depth = new Int32Array(n);
	const end = new Int32Array(n), now = new Int32Array(n);
	for (let i = 0, at = 0; i >= 0; at++) {
		now[i] = at;
		func[at] = made.func[i];
		parent[at] = i ? now[made.parent[i]] : -1;
		depth[at] = i ? depth[parent[at]] + 1 : 0;
		end[at] = at + 1;
		if (first[i] >= 0) {
			i = first[i];
		} else {
			while (i >= 0 && next[i] < 0)
				i = made.parent[i];
			i = i < 0 ? -1 : next[i];
		}
	}
	for (let i = n - 1; i > 0; i--)
		end[parent[i]] = Math.max(end[parent[i]], end[i]);
	return {shape: {n, func, parent, depth, end}, to: to.map((i) => i < 0 ? -1 : now[i])};
}

/**
 * Own weights of another shape's nodes.
 * @param {Weights} w
 * @param {Int32Array} to
 * @param {number} n
 */
export function moved(w, to, n) {
	const self = new Float64Array(n), selfSamples = new Float64Array(n);
	for (let i = 0; i < to.length; i++)
		if (to[i] >= 0) {
			self[to[i]] += w.self[i];
			selfSamples[to[i]] += w.selfSamples[i];
		}
	return {self, selfSamples};
}

/**
 * Functions from below the root to a node.
 * @param {Tree} tree
 * @param {number} id
 */
export function pathOf(tree, id) {
	const path = [];
	for (; id !== tree.root && id >= 0; id = tree.parent(id))
		path.push(tree.func(id));
	return path.reverse();
}

/**
 * The node of a path, or the last that is there; found: whether all of it is.
 * @param {Tree} tree
 * @param {number[]} path
 */
export function nodeOf(tree, path) {
	let id = tree.root;
	for (const f of path) {
		const kid = tree.below(id, 0).kids.find((k) => tree.func(k) === f);
		if (kid === undefined)
			return {id, found: false};
		id = kid;
	}
	return {id, found: true};
}

/**
 * A task or what was left out is no function.
 * @param {Page} page
 * @param {number} f
 */
export function isFunction(page, f) {
	return f > 0 && page.kind[f] !== KIND.task && page.kind[f] !== KIND.rest;
}
