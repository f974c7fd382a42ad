// hash.js: what one looks at, as the fragment of the page's address.  Functions
// stand in it by name, so that a link holds for the next recording, too.

import { binUnit } from './dom.js';

/** @typedef {import('./data.js').Page} Page */
/** @typedef {import('./tree.js').Step} Step */
/**
 * cpus, lanes: indexes into the head's lists, empty for all.  zoom, path: functions
 * from below the root of the tree that is shown.
 * @typedef {{view: string, event: number, range: {from: number, to: number} | null, cpus: number[],
 *   lanes: number[], steps: Step[], invert: boolean, rising: boolean, order: string, colour: string,
 *   query: string, zoom: number[], path: number[], fn: number, code: boolean, sort: {key: string, down: boolean}}} State
 */

export const VIEWS = ['flame', 'table', 'time', 'tree', 'function', 'facts', 'changes'];

/** @returns {State} */
export function freshState() {
	return {view: 'flame', event: 0, range: null, cpus: [], lanes: [], steps: [], invert: false, rising: false,
		order: 'weight', colour: 'dso', query: '', zoom: [], path: [], fn: 0, code: false, sort: {key: 'self', down: true}};
}

/**
 * The event that is shown at first: one that has samples.
 * @param {import('./data.js').Head} head
 */
function firstEvent(head) {
	return Math.max(0, head.events.findIndex((e) => e.samples));
}

/** Functions to texts that name them and back. */
export class FunctionNames {
	/** @param {Page} page */
	constructor(page) {
		this.page = page;
		/** @type {Map<string, number[]>} */
		this.byName = new Map();
		for (let f = 1; f < page.functions; f++) {
			const list = this.byName.get(page.name[f]);
			if (list)
				list.push(f);
			else
				this.byName.set(page.name[f], [f]);
		}
	}

	/** @param {number} f */
	text(f) {
		const {name, dso, kind} = this.page;
		const same = this.byName.get(name[f]) || [];
		return encodeURIComponent(name[f]) + (same.length > 1 ? `@${encodeURIComponent(dso[f])}@${kind[f]}` : '');
	}

	/**
	 * @param {string} text
	 * @returns {number} 0: there is none
	 */
	find(text) {
		const [name, dso, kind] = text.split('@').map(plain);
		const same = this.byName.get(name) || [];
		return same.find((f) => this.page.dso[f] === dso && String(this.page.kind[f]) === kind) ||
			same.find((f) => this.page.dso[f] === dso) || same[0] || 0;
	}
}

/** @param {string} text */
function plain(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/**
 * @param {FunctionNames} names
 * @param {State} s
 */
export function writeHash(names, s) {
	const {head} = names.page, parts = ['v=' + s.view];
	/** @type {(key: string, value: string) => void} */
	const put = (key, value) => {
		if (value)
			parts.push(key + '=' + value);
	};
	const path = (/** @type {number[]} */ list) => list.map((f) => names.text(f)).join(';');
	put('e', s.event !== firstEvent(head) ? encodeURIComponent(head.events[s.event].name) : '');
	if (s.range && head.time) {
		const unit = binUnit(head.time), text = (/** @type {number} */ b) => String(Number((b * unit).toFixed(7)));
		put('t', text(s.range.from) + '-' + text(s.range.to));
	}
	put('c', s.cpus.map((i) => head.cpus[i]).join());
	put('l', s.lanes.map((i) => encodeURIComponent(head.lanes[i].comm) + ':' + head.lanes[i].tid).join());
	put('x', s.steps.map((x) => x.fn ? `${x.op}:${names.text(x.fn)}` : x.op).join(';'));
	put('i', s.invert ? '1' : '');
	put('up', s.rising ? '1' : '');
	put('o', s.order === 'name' ? 'name' : '');
	put('k', s.colour === (head.diff ? 'change' : 'dso') ? '' : s.colour);
	put('z', path(s.zoom));
	put('p', path(s.path));
	put('f', s.fn && s.path[s.path.length - 1] !== s.fn ? names.text(s.fn) : '');
	put('a', s.code ? '1' : '');
	put('q', encodeURIComponent(s.query));
	put('s', s.sort.key === 'self' && s.sort.down ? '' : s.sort.key + (s.sort.down ? '-' : '+'));
	return '#' + parts.join('&');
}

/**
 * What a fragment says; unknown: what of it is not in this recording.
 * @param {FunctionNames} names
 * @param {string} hash
 * @returns {{state: State, unknown: string[]}}
 */
export function readHash(names, hash) {
	const s = freshState(), {head} = names.page;
	s.event = firstEvent(head);
	if (head.diff)
		[s.view, s.colour] = ['changes', 'change'];
	/** @type {string[]} */
	const unknown = [];
	/** @type {(text: string, what: string) => number} */
	const find = (text, what) => {
		const f = names.find(text);
		if (!f)
			unknown.push(what + ' ' + plain(text.split('@')[0]));
		return f;
	};
	/** @type {(text: string) => number[]} */
	const path = (text) => {
		const list = [];
		for (const part of text.split(';')) {
			const f = find(part, 'the function');
			if (!f)
				break;
			list.push(f);
		}
		return list;
	};
	/** @type {{[key: string]: (value: string) => void}} */
	const readers = {
		v: (t) => VIEWS.includes(t) && (head.diff || t !== 'changes') ? s.view = t : unknown.push('the view ' + t),
		e: (t) => {
			const i = head.events.findIndex((e) => e.name === plain(t));
			if (i < 0)
				unknown.push('the event ' + plain(t));
			else
				s.event = i;
		},
		t: (t) => {
			const m = /^([\d.]+)-([\d.]+)$/.exec(t), time = head.time;
			const [from, to] = m && time ? [m[1], m[2]].map((x) => Math.round(Number(x) / binUnit(time))) : [0, 0];
			if (time && from < to && from < time.bins)
				s.range = {from, to: Math.min(to, time.bins)};
			else
				unknown.push('the time ' + t);
		},
		c: (t) => t.split(',').forEach((c) => {
			const i = head.cpus.indexOf(Number(c));
			if (i < 0)
				unknown.push('CPU ' + c);
			else
				s.cpus.push(i);
		}),
		l: (t) => t.split(',').forEach((part) => {
			const at = part.lastIndexOf(':'), comm = plain(part.slice(0, at)), tid = Number(part.slice(at + 1));
			const same = head.lanes.flatMap((l, i) => l.comm === comm ? [i] : []);
			const exact = same.filter((i) => head.lanes[i].tid === tid);
			if (!same.length)
				unknown.push('the thread ' + comm);
			s.lanes.push(...(exact.length ? exact : same));
		}),
		x: (t) => t.split(';').forEach((part) => {
			const at = part.indexOf(':'), op = at < 0 ? part : part.slice(0, at);
			if (op === 'r' && at < 0) {
				s.steps.push({op, fn: 0});
			} else if (['f', 'm', 'c', 'd'].includes(op) && at > 0) {
				const fn = find(part.slice(at + 1), 'the function');
				if (fn)
					s.steps.push({op, fn});
			} else {
				unknown.push('the step ' + plain(part));
			}
		}),
		i: () => s.invert = true,
		up: () => s.rising = true,
		o: () => s.order = 'name',
		k: (t) => ['kind', 'dso', 'change'].includes(t) && (head.diff || t !== 'change') ? s.colour = t : unknown.push('the colours ' + t),
		z: (t) => s.zoom = path(t),
		p: (t) => {
			s.path = path(t);
			s.fn = s.path[s.path.length - 1] || 0;
		},
		f: (t) => s.fn = find(t, 'the function'),
		a: () => s.code = true,
		q: (t) => s.query = plain(t),
		s: (t) => {
			const key = t.slice(0, -1);
			if (['total', 'self', 'samples', 'name', 'dso'].includes(key))
				s.sort = {key, down: t.endsWith('-')};
			else
				unknown.push('the order ' + plain(t));
		},
	};
	for (const part of hash.replace(/^#/, '').split('&')) {
		const at = part.indexOf('='), key = at < 0 ? part : part.slice(0, at);
		if (Object.hasOwn(readers, key))
			readers[key](part.slice(at + 1));
		else if (part)
			unknown.push(plain(part));
	}
	return {state: s, unknown};
}
