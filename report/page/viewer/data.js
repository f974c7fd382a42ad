// data.js: the bytes of a page as typed arrays.  report/page/README.md has the coding.

/**
 * A forest in preorder.  Node 0 is the root; end is behind the last node below.
 * @typedef {{n: number, func: Int32Array, parent: Int32Array, depth: Int32Array,
 *   end: Int32Array}} Shape
 */
/**
 * What has samples together: a bin, a CPU and a lane.
 * @typedef {{bin: Int32Array, cpu: Int32Array, lane: Int32Array, samples: Float64Array}} Cells
 */
/**
 * The tree of one event with what was counted in it.  The entries of node i are
 * those from offset[i] to offset[i + 1]: what the node has of a cell.
 * @typedef {Shape & {offset: Int32Array, cells: Cells, cell: Int32Array, samples: Int32Array,
 *   period: Float64Array}} EventTree
 */
/** @typedef {{name: string, samples: number, total: number, unit: string, period: number}} EventHead */
/** @typedef {{bin: number, bins: number, cpu: number, samples: number}} Loss */
/** @typedef {{bin: number, bins: number, cpu: number, event: number, times: number, ns: number}} Throttle */
/** utc: first_ns is since 1970. @typedef {{first_ns: number, span_ns: number, bins: number, bin_ns: number, utc?: boolean}} TimeHead */
/** @typedef {{comm: string, pid: number, tid: number, process?: string}} Lane */
/**
 * @typedef {{version: number, program: string, title?: string, recordings: [string, string][][],
 *   warnings: string[], time: TimeHead | null, cpus: number[], lanes: Lane[],
 *   events: EventHead[], losses: Loss[], throttles?: Throttle[], left_out: {nodes: number, samples: number}, code?: CodeHead, diff?: any,
 *   lane?: string, groups?: any[][], pairs?: boolean}} Head
 */
/** @typedef {{least_pct: number, source: boolean, left_out: number[], problems: [number, string][]}} CodeHead */
/**
 * The instructions of a function.  skipped: how many are left out before each;
 * behind: after the last.  target: 0 none, 2r + 1 row r, 2f + 2 function f; file:
 * a number from 1 on, 0: no line is known.  samples, period: by event.
 * @typedef {{n: number, address: Float64Array, skipped: Int32Array, behind: number, text: Int32Array,
 *   target: Int32Array, file: Int32Array, line: Int32Array, samples: Int32Array[], period: Float64Array[]}} Listed
 */
/**
 * source: of each file its lines by number.
 * @typedef {{of: Map<number, Listed>, text: string[], files: string[], source: Map<number, string>[]}} Code
 */
/**
 * name, dso: texts fit to be shown; kind: a number of KIND.
 * @typedef {{head: Head, functions: number, name: string[], dso: string[],
 *   kind: Uint8Array, events: EventTree[], code: Code}} Page
 */

export const KIND = {user: 0, kernel: 1, jit: 2, inlined: 3, guest: 4, task: 5, rest: 6, nameless: 7};

/**
 * The lanes of a comparison by side: its runs, or groups of them.
 * @param {Head} head
 * @returns {any[][]}
 */
export function sidesOf(head) {
	return head.groups || (head.diff ? head.diff.sides : []);
}

/**
 * What a lane is.
 * @param {Head} head
 */
export function laneWord(head) {
	return head.lane || (head.diff ? 'run' : 'thread');
}

/** Reads varints one after the other; over the end it throws. */
class Cursor {
	/** @param {Uint8Array} bytes */
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	number() {
		const bytes = this.bytes;
		let byte = bytes[this.at++];
		if (byte < 128)
			return byte;
		let value = byte & 127;
		for (let unit = 128; ; unit *= 128) {
			byte = bytes[this.at++];
			if (byte === undefined)
				throw new RangeError('the data ends too early');
			value += (byte & 127) * unit;
			if (byte < 128)
				return value;
		}
	}

	/** A column's length, or -1 for an error: no more items than bytes are left. */
	length() {
		const n = this.number();
		if (!(n <= this.bytes.length - this.at))
			throw new RangeError('a column is longer than the data');
		return n;
	}

	/** @returns {Int32Array} */
	column() {
		const out = new Int32Array(this.length());
		for (let i = 0; i < out.length; i++)
			out[i] = this.number();
		return out;
	}

	/** @returns {Float64Array} */
	wideColumn() {
		const out = new Float64Array(this.length());
		for (let i = 0; i < out.length; i++)
			out[i] = this.number();
		return out;
	}

	/** @returns {Uint8Array} */
	text() {
		const n = this.length();
		this.at += n;
		return this.bytes.subarray(this.at - n, this.at);
	}
}

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * A name as it may be shown: what would turn, break or hide the text around it
 * is written out, like <U+202E>.
 * @param {string} name
 */
export function shownName(name) {
	return name.replace(HIDDEN, (c) =>
		'<U+' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '>');
}

/** @param {Cursor} cursor */
function readNames(cursor) {
	const decoder = new TextDecoder();
	const names = new Array(cursor.length());
	let before = new Uint8Array(256), beforeLength = 0;
	for (let i = 0; i < names.length; i++) {
		const shared = cursor.number();
		const rest = cursor.text();
		if (shared > beforeLength)
			throw new RangeError('a name shares more than the name before it has');
		const length = shared + rest.length;
		if (length > before.length) {
			const wider = new Uint8Array(length * 2);
			wider.set(before.subarray(0, shared));
			before = wider;
		}
		before.set(rest, shared);
		beforeLength = length;
		names[i] = shownName(decoder.decode(before.subarray(0, length)));
	}
	return names;
}

/**
 * parent, end and depth from how many children each node has; func from which of
 * its parent's callees it is.
 * @param {Cursor} cursor
 * @param {number} functions
 * @returns {Shape}
 */
function readShape(cursor, functions) {
	const calleeCount = cursor.column();
	const callee = cursor.column();
	const first = new Int32Array(functions + 1);
	for (let f = 0, at = 0; f < functions; f++) {
		let number = -1;
		for (let k = 0; k < calleeCount[f]; k++, at++)
			number = callee[at] += number + 1;
		first[f + 1] = at;
	}
	const children = cursor.column();
	const which = cursor.column();
	const n = children.length;
	const func = new Int32Array(n), parent = new Int32Array(n), depth = new Int32Array(n);
	const end = new Int32Array(n), last = new Int32Array(n).fill(-1);
	parent[0] = -1;
	end[0] = n;
	let top = 0;
	for (let i = 1; i < n; i++) {
		while (children[top] === 0) {
			end[top] = i;
			top = parent[top];
			if (top < 0)
				throw new RangeError('a node has no parent');
		}
		children[top]--;
		parent[i] = top;
		depth[i] = depth[top] + 1;
		last[top] += which[i - 1] + 1;
		func[i] = callee[first[func[top]] + last[top]];
		top = i;
	}
	for (; top > 0; top = parent[top])
		end[top] = n;
	return {n, func, parent, depth, end};
}

/**
 * @param {Cursor} cursor
 * @param {number} functions
 * @param {number} one the period of each sample, 0 if they differ
 * @returns {EventTree}
 */
function readEvent(cursor, functions, one) {
	const shape = readShape(cursor, functions);
	const cells = {bin: cursor.column(), cpu: cursor.column(), lane: cursor.column(), samples: new Float64Array(0)};
	const n = cells.bin.length, count = cursor.column(), cell = cursor.column(), samples = cursor.column();
	for (let c = 1; c < n; c++)
		cells.bin[c] += cells.bin[c - 1];
	const offset = new Int32Array(shape.n + 1);
	if (cell.length !== samples.length)
		throw new RangeError('cells and samples are not of the same entries');
	for (let i = 0; i < shape.n; i++) {
		const end = offset[i + 1] = offset[i] + count[i];
		if (end > cell.length)
			throw new RangeError('a node has more entries than there are');
		ascending(cell.subarray(offset[i], end));
		if (end > offset[i] && !(cell[end - 1] < n))
			throw new RangeError('an entry is of no cell');
	}
	cells.samples = new Float64Array(n);
	for (let e = 0; e < cell.length; e++)
		cells.samples[cell[e]] += ++samples[e];
	const periods = cursor.wideColumn(), period = one ? new Float64Array(samples) : periods;
	for (let e = 0; one && e < period.length; e++)
		period[e] *= one;
	return {...shape, offset, cells, cell, samples, period};
}

/** Numbers of functions or lines that ascend: the first, then gaps. @param {Int32Array} list */
function ascending(list) {
	for (let i = 1; i < list.length; i++)
		list[i] += list[i - 1] + 1;
	return list;
}

/**
 * @param {Cursor} cursor
 * @param {Head} head
 * @returns {Code}
 */
function readCode(cursor, head) {
	/** @type {Map<number, Listed>} */
	const of = new Map();
	if (!head.code)
		return {of, text: [], files: [], source: []};
	const text = readNames(cursor), files = Array.from(cursor.column(), (i) => text[i]);
	const func = ascending(cursor.column()), rows = cursor.column(), behind = cursor.column();
	const address = cursor.wideColumn();
	const [skipped, step, word, target, file, line] = [1, 2, 3, 4, 5, 6].map(() => cursor.column());
	const counts = head.events.map((e) => {
		const samples = cursor.column(), period = cursor.wideColumn();
		return {samples, period: period.length ? period : Float64Array.from(samples, (s) => s * e.period)};
	});
	const source = files.map(() => new Map());
	if (head.code.source) {
		const held = cursor.column(), number = cursor.column(), decoder = new TextDecoder();
		let at = 0;
		held.forEach((n, i) => ascending(number.subarray(at, at += n)).forEach((k) => source[i].set(k,
			decoder.decode(cursor.text()).split('\t').map(shownName).join('\t'))));
	}
	for (let i = 0, at = 0; i < func.length; at += rows[i++]) {
		const end = at + rows[i], own = Float64Array.from(step.subarray(at, end));
		for (let k = 0, a = address[i], l = 0; k < own.length; k++) {
			own[k] = a += own[k];
			line[at + k] = l += line[at + k] & 1 ? -(line[at + k] + 1) / 2 : line[at + k] / 2;
		}
		const part = (/** @type {Int32Array} */ c) => c.subarray(at, end);
		of.set(func[i], {n: rows[i], address: own, skipped: part(skipped), behind: behind[i], text: part(word),
			target: part(target), file: part(file), line: part(line), samples: counts.map((c) => part(c.samples)),
			period: counts.map((c) => c.period.subarray(at, end))});
	}
	return {of, text, files, source};
}

/**
 * The page of inflated data; throws what is wrong with it.
 * @param {Uint8Array} bytes
 * @returns {Page}
 */
export function readPage(bytes) {
	const cursor = new Cursor(bytes);
	const head = /** @type {Head} */ (JSON.parse(new TextDecoder().decode(cursor.text())));
	if (head.version !== 3)
		throw new Error(`the data is of version ${head.version}, this viewer reads version 3`);
	const names = readNames(cursor);
	const nameOf = cursor.column(), dsoOf = cursor.column(), kind = Uint8Array.from(cursor.column());
	for (let f = 1; f < nameOf.length; f++)
		nameOf[f] += nameOf[f - 1];
	return {head, functions: nameOf.length,
		name: Array.from(nameOf, (i) => names[i]), dso: Array.from(dsoOf, (i) => names[i]), kind,
		events: head.events.map((e) => readEvent(cursor, nameOf.length, e.period)), code: readCode(cursor, head)};
}
