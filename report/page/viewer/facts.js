// facts.js: what is known of the recording; what was lost stands first.

import { amount, binText, brief, count, counted, el, percent, seconds } from './dom.js';
import { KIND, laneWord, sidesOf } from './data.js';

/** @typedef {import('./app.js').App} App */

/**
 * How often and how long each event was throttled, by its number.
 * @param {import('./data.js').Head} head
 */
function throttledOf(head) {
	/** @type {Map<number, {times: number, ns: number, cpus: Set<number>}>} */
	const sums = new Map();
	for (const t of head.throttles || []) {
		const sum = sums.get(t.event) || {times: 0, ns: 0, cpus: new Set()};
		sum.times += t.times;
		sum.ns += t.ns;
		sum.cpus.add(t.cpu);
		sums.set(t.event, sum);
	}
	return sums;
}

/**
 * How much of an event is in code without a name, and in which files most of it.
 * @param {App} app
 * @param {number} event
 */
function namelessOf(app, event) {
	const {page} = app, {func, offset, period, n} = page.events[event];
	/** @type {Map<string, number>} */
	const files = new Map();
	let all = 0, sum = 0;
	for (let i = 0; i < n; i++)
		for (let e = offset[i]; e < offset[i + 1]; e++) {
			const f = func[i];
			all += period[e];
			if (page.kind[f] === KIND.nameless) {
				sum += period[e];
				files.set(page.name[f], (files.get(page.name[f]) || 0) + period[e]);
			}
		}
	const most = [...files].sort((a, b) => b[1] - a[1]);
	return {part: all ? sum / all : 0, files: most.slice(0, 3).map(([name, v]) => `${brief(name, 80)} ${percent(v, all)}`)
		.concat(most.length > 3 ? [counted(most.length - 3, 'more file')] : [])};
}

/**
 * Everything that a reader of the numbers has to know, most important first.
 * @param {App} app
 * @returns {string[]}
 */
export function notesOf(app) {
	const {head} = app.page, notes = head.lane ? head.warnings.slice() : [];
	const lost = head.losses.reduce((sum, l) => sum + l.samples, 0);
	const known = head.events.reduce((sum, e) => sum + e.samples, 0);
	if (lost)
		notes.push(`${counted(lost, 'sample')} were lost: ${(lost * 100 / (lost + known)).toFixed(2)} % of all`);
	const runs = sidesOf(head).flat(), lossy = runs.filter((r) => r.lost_pct > 0);
	if (head.lane && lossy.length > 1)
		notes.push(`${lossy.length} of ${counted(runs.length, head.lane)} lost samples, at most ` +
			`${Math.max(...lossy.map((r) => r.lost_pct)).toFixed(2)} % of theirs; intervals are as much wider`);
	else
		for (const {file, lost_pct: part} of lossy)
			notes.push(`${file}: ${part.toFixed(2)} % of its samples were lost; intervals are as much wider`);
	for (const [i, {times, ns, cpus}] of throttledOf(head)) {
		const where = cpus.has(-1) ? '' : ' on ' + (cpus.size > 1 ? `${cpus.size} CPUs` : 'CPU ' + [...cpus][0]);
		notes.push(`The kernel throttled ${i < 0 ? 'an event' : head.events[i].name} ${counted(times, 'time')}, for ` +
			`${seconds(ns / 1e9)}${where}: it has no samples of these times`);
	}
	notes.push(...head.lane ? [] : head.warnings);
	if (head.left_out.nodes)
		notes.push(`${counted(head.left_out.samples, 'sample')} of ${counted(head.left_out.nodes, 'caller')} ` +
			'are shown as [rest]: the page would have become too large');
	head.events.forEach((e, i) => {
		const {part, files} = namelessOf(app, i);
		if (part > 0.1)
			notes.push(`${percent(part, 1)} of ${e.name} are in code without a name: ${files.join(', ')}`);
	});
	if (!head.time && !(head.lane && head.diff))
		notes.push(head.lane ? 'All samples are of one bin of time: there is no timeline.' : 'The samples have no times: there is no timeline.');
	return notes;
}

/**
 * @param {string[]} heads
 * @param {string[][]} rows
 */
function plainTable(heads, rows) {
	return el('table', {}, el('thead', {}, el('tr', {}, ...heads.map((h) => el('th', {scope: 'col'}, h)))),
		el('tbody', {}, ...rows.map((r) => el('tr', {}, ...r.map((c) => el('td', {}, c))))));
}

export class FactsView {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.host = el('div.facts', {tabindex: 0, role: 'region', 'aria-label': 'facts'});
		this.fill();
	}

	fill() {
		const {head} = this.app.page, notes = notesOf(this.app);
		this.host.append(el('h2', {}, notes.length ? 'To know before you trust the numbers' : 'Nothing is known to be lost'));
		if (notes.length)
			this.host.append(el('ul.notes', {}, ...notes.map((n) => el('li', {}, brief(n, 2000)))));
		else
			this.host.append(el('p', {}, 'The recording says of no sample that it was lost, left out or cut.'));
		if (head.losses.length)
			this.host.append(el('h2', {}, 'Losses'), this.gaps('samples lost', head.losses.map((l) => ({...l, cells: [count(l.samples)]}))));
		if (head.throttles && head.throttles.length)
			this.host.append(el('h2', {}, 'Throttled by the kernel'), this.gaps('event', head.throttles.map((t) => ({...t,
				cells: [t.event < 0 ? 'not known' : head.events[t.event].name, count(t.times), seconds(t.ns / 1e9)]})), 'times', 'for'));
		this.host.append(el('h2', {}, 'Events'), plainTable(['event', 'samples', 'sum of periods', 'period of a sample'],
			head.events.map((e) => [e.name, count(e.samples), amount(e.total, e.unit),
				!e.samples ? '' : e.period ? amount(e.period, e.unit) : 'differs'])));
		const list = el('dl');
		head.recordings.forEach((facts, i) => {
			if (head.recordings.length > 1)
				list.append(el('dt', {}, el('b', {}, `recording ${i + 1}`)), el('dd'));
			for (const [label, text] of facts)
				list.append(el('dt', {}, brief(label, 200)), el('dd', {}, brief(text, 5000)));
		});
		if (head.time && head.time.bin_ns)
			list.append(el('dt', {}, 'times'), el('dd', {}, `${seconds(head.time.span_ns / 1e9)} from ` +
				(head.time.utc ? `${binText(head.time, 0)} UTC` : `${(head.time.first_ns / 1e9).toFixed(6)} s of perf's clock`) + `, in ${counted(head.time.bins, 'bin')} of ` +
				seconds(head.time.bin_ns / 1e9)));
		list.append(...head.lane ? [el('dt', {}, laneWord(head) + 's'), el('dd', {}, count(head.lanes.length))]
			: [el('dt', {}, 'threads, CPUs'), el('dd', {}, `${counted(head.lanes.length, 'row')} of threads, ` + counted(head.cpus.length, 'CPU'))]);
		list.append(el('dt', {}, 'functions, nodes'), el('dd', {}, `${count(this.app.page.functions - 1)}, ` +
			count(this.app.page.events.reduce((sum, e) => sum + e.n - 1, 0))));
		const {code} = this.app.page, cut = head.code;
		if (cut)
			list.append(el('dt', {}, 'instructions'), el('dd', {}, `${counted([...code.of.values()].reduce((n, c) => n + c.n, 0), 'row')} of ` +
				`${counted(code.of.size, 'function')} with at least ${cut.least_pct} % of an event` +
				(cut.left_out.length ? `; those of ${counted(cut.left_out.length, 'other')} did not fit` : '')));
		list.append(el('dt', {}, 'made by'), el('dd', {}, head.program));
		this.host.append(el('h2', {}, 'Recording'), list);
	}

	/**
	 * @param {string} first
	 * @param {{bin: number, bins: number, cpu: number, cells: string[]}[]} gaps
	 * @param {...string} others what stands in the cells besides
	 */
	gaps(first, gaps, ...others) {
		const {time} = this.app.page.head;
		const table = plainTable(['when', 'CPU', first, ...others], gaps.slice(0, 500).map((l) => [
			l.bins && time ? `${binText(time, l.bin)} to ${binText(time, l.bin + l.bins)}` : 'not known',
			l.cpu < 0 ? 'not known' : String(l.cpu), ...l.cells]));
		if (gaps.length > 500)
			table.append(el('caption', {}, `the first 500 of ${count(gaps.length)}`));
		return table;
	}

	render() {}
}
