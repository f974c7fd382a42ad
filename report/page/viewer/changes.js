// changes.js: the table of a comparison: each row's change with its 95 % interval
// about zero, and a dot for each run.  The numbers are the reader's own
// (docs/formats.md, perfpair-diff); only the interval of the whole is computed here.

import { brief, button, count, counted, el, shownValue, signed } from './dom.js';
import { totalsMoved } from './chance.js';
import { Rows } from './rows.js';

/** @typedef {import('./app.js').App} App */
/** A row as diff --format json prints it. @typedef {{[key: string]: any}} DiffRow */
/**
 * @typedef {{name: string, dso: string, was: number, now: number, change: number, low: number | null,
 *   high: number | null, relative: number | null, runs: [number[], number[]], sure: boolean, match: string, how: string}} Change
 */

const CHANGE_COLUMNS = [
	{key: 'was', label: 'Old', title: 'in the old runs'},
	{key: 'now', label: 'New', title: 'in the new runs'},
	{key: 'change', label: 'Change', title: 'new minus old'},
	{key: 'relative', label: 'Relative', title: 'of the old value'},
	{key: 'interval', label: 'Change with its 95 % interval', title: 'grey: no more than chance; blue and −: less; orange and +: more'},
	{key: 'runs', label: 'Runs', title: 'a dot for each run, how far it is from the mean of the old ones, on the same scale: old runs above, new runs below'},
	{key: 'name', label: 'Symbol', title: 'the function', wide: true},
	{key: 'dso', label: 'Shared Object', title: 'the file that it is in', wide: true},
];
const WORKS = /** @type {{[work: string]: string}} */ ({'not told': 'not known', part: 'a part of the runs', other: 'not the same'});
const MATCHES = /** @type {{[match: string]: string}} */ ({new: 'new', gone: 'gone', stem: 'same stem', template: 'same template'});

/**
 * How a row was matched with the other side, and what was inlined; '' for equal names.
 * @param {DiffRow} r
 */
function matchText(r) {
	const parts = r.match in MATCHES ? [MATCHES[r.match] + (r.baseline_symbol ? ' as ' + brief(r.baseline_symbol, 100) : '')] : [];
	for (const one of r.inlined || [])
		parts.push(`${one.relation} ${brief(one.symbol, 100)}, ${one.pct.toFixed(2)} %`);
	return parts.length ? `(${parts.join('; ')})` : '';
}

/**
 * The rows of the event in sight; unit: '%', 'ns' or 'events'.
 * @param {App} app
 * @returns {{changes: Change[], unit: string, event: DiffRow | null}}
 */
export function changesOf(app) {
	return app.keep('changes', [app.state.event], () => {
		const {diff} = app.page.head, {name, unit} = app.eventHead();
		const events = /** @type {DiffRow[]} */ (diff ? diff.events : []);
		const event = events.find((e) => e.event === name || e.new_event === name) || null;
		const rows = /** @type {DiffRow[]} */ (event ? event.rows : []);
		const shares = rows.length > 0 && 'baseline_pct' in rows[0], end = shares ? '_pct' : '';
		const changes = rows.map((r) => ({
			name: String(r.symbol ?? r.comm ?? r.dso ?? ''), dso: String(r.symbol === null ? '' : r.dso ?? ''),
			was: r['baseline' + end] ?? 0, now: r['new' + end] ?? 0, change: r['delta' + end] ?? 0,
			low: r['low' + end] ?? null, high: r['high' + end] ?? null,
			runs: /** @type {[number[], number[]]} */ ([r['baseline_runs' + end] ?? [], r['new_runs' + end] ?? []]),
			relative: r.relative_pct ?? null, sure: r.significant === true, match: String(r.match), how: matchText(r)}));
		return {changes, unit: shares ? '%' : unit, event};
	});
}

/**
 * What each run of a side is in all rows together.
 * @param {Change[]} changes
 */
export function runTotals(changes) {
	return [0, 1].map((side) => changes.reduce((/** @type {number[]} */ sums, c) => c.runs[side].map((v, r) => v + (sums[r] || 0)), []));
}

/**
 * How much of the change is known to be none of chance.
 * @param {Change[]} changes
 */
export function madeUpOf(changes) {
	const sure = changes.filter((c) => c.sure);
	const sum = (/** @type {Change[]} */ list) => list.reduce((total, c) => total + c.change, 0);
	return {sure: sure.sort((a, b) => Math.abs(b.change) - Math.abs(a.change)), known: sum(sure), whole: sum(changes)};
}

/**
 * What a comparison is called: the first file of each side.
 * @param {any} diff
 * @returns {string}
 */
export function comparisonTitle(diff) {
	return diff.sides.map((/** @type {{file: string}[]} */ side) => (side.length ? side[0].file : '') +
		(side.length > 1 ? ` and ${side.length - 1} more` : '')).join(' → ');
}

export class ChangesView {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		/** @type {Change[]} */
		this.list = [];
		this.most = 1;
		this.order = {key: '', down: true};
		this.said = el('div.about');
		this.rows = new Rows({label: 'changes', role: 'grid', columns: CHANGE_COLUMNS,
			fill: (row, cells, i) => this.fill(row, cells, this.list[i]),
			onSelect: (i) => this.choose(i), onOpen: (i) => app.openFunction(this.functionOf(this.list[i])),
			onSort: (key) => this.sort(key)});
		this.rows.host.classList.add('changes');
		this.host = el('div.function', {}, this.said, el('div.half', {}, this.rows.host));
	}

	/** @param {string} key */
	sort(key) {
		if (key === 'interval' || key === 'runs')
			key = 'change';
		this.order = {key, down: this.order.key === key ? !this.order.down : key !== 'name' && key !== 'dso'};
		this.render();
	}

	/** @param {Change} c */
	functionOf(c) {
		return this.app.names.find(encodeURIComponent(c.name) + '@' + encodeURIComponent(c.dso)) || 0;
	}

	/** @param {number} i */
	choose(i) {
		const c = this.list[i], {unit} = changesOf(this.app);
		this.app.set({fn: this.functionOf(c), path: []}, false);
		this.app.tell(`${brief(c.name, 200)}, ${signed(c.change, unit)}, ${c.sure ? 'more than chance' : 'no more than chance'}`);
	}

	render() {
		const {app} = this, {changes, unit, event} = changesOf(app), {key, down} = this.order;
		const match = app.pattern();
		this.list = match ? changes.filter((c) => match(c.name) || match(c.dso) || match(c.how)) : changes.slice();
		if (key) {
			this.list.sort((a, b) => {
				const x = /** @type {any} */ (a)[key], y = /** @type {any} */ (b)[key];
				return x < y ? -1 : x > y ? 1 : 0;
			});
			if (down)
				this.list.reverse();
			this.rows.setSort(key, down);
		}
		this.most = 1.05 * changes.reduce((most, c) => [c.change, c.low ?? 0, c.high ?? 0, ...c.runs.flat().map((v) => v - c.was)]
			.reduce((m, v) => Math.max(m, Math.abs(v)), most), 1e-9);
		// of a fleet's hosts only their sums are known
		this.rows.host.classList.toggle('plain', !changes.some((c) => c.runs[0].length || c.runs[1].length));
		this.rows.setCount(this.list.length);
		this.summary(changes, unit, event);
	}

	/**
	 * The whole change, and what makes it up.
	 * @param {Change[]} changes
	 * @param {string} unit
	 * @param {DiffRow | null} event
	 */
	summary(changes, unit, event) {
		const {diff} = this.app.page.head, {sure, known, whole} = madeUpOf(changes);
		const lines = [];
		if (event && event.total_relative_pct !== null) {
			const low = event.total_low_pct, high = event.total_high_pct;
			lines.push(`The whole changed by ${signed(event.total_relative_pct, '%')}` +
				(low !== null && high !== null ? `, between ${signed(low, '%')} and ${signed(high, '%')}.` :
					'; one run a side says nothing of how sure that is.'));
		}
		if (!diff.tested)
			lines.push(diff.variance === 'within runs' ? 'Rows are not tested: how much runs differ is known of several runs on both sides. The intervals are ' +
				'from the scatter within the runs.' : `Rows are not tested: the work of the sides is ${WORKS[diff.work] || diff.work}.`);
		else if (!sure.length)
			lines.push(`None of ${counted(changes.length, 'function')} changed by more than chance; together ${signed(whole, unit)}.`);
		else
			lines.push(`${sure.length} of ${counted(changes.length, 'function')} changed by more than chance` +
				(diff.children ? ', with what they call.' : `: together ${signed(known, unit)}; all others ${signed(whole - known, unit)}.`));
		const {range, cpus, lanes, steps} = this.app.state;
		if (range || cpus.length || lanes.length || steps.length)
			lines.push('These rows are of the whole runs: what is selected above does not narrow them.');
		const bars = diff.children || !sure.length ? '' : this.makeUp(sure, whole, unit);
		this.said.replaceChildren(el('h2', {}, 'Old and new'), ...lines.map((l) => el('p', {}, l)), this.matching(changes), bars);
	}

	/**
	 * How many functions were matched how; each is a search for these.
	 * @param {Change[]} changes
	 */
	matching(changes) {
		const kinds = ['exact', 'stem', 'template', 'new', 'gone'].map((match) => changes.filter((c) => c.match === match).length);
		const said = el('p', {}, `${count(kinds[0])} of the same name on both sides`);
		const part = (/** @type {string} */ label, /** @type {string} */ query, /** @type {number} */ n) => {
			if (n)
				said.append(', ', button(`${count(n)} ${label}`, 'only these', () => this.app.set({query})));
		};
		part('matched by the stem of their names', '\\(same stem', kinds[1]);
		part('matched as templates', '\\(same template', kinds[2]);
		part('only new', '\\(new', kinds[3]);
		part('gone', '\\(gone', kinds[4]);
		part('inlined elsewhere', 'inlined into|held |holds ', changes.filter((c) => /inlined into|held |holds /.test(c.how)).length);
		return said;
	}

	/**
	 * What makes up the change: each bar begins where the one above ends; the last is the whole with its interval.
	 * @param {Change[]} sure
	 * @param {number} whole
	 * @param {string} unit
	 */
	makeUp(sure, whole, unit) {
		const {app} = this, totals = runTotals(changesOf(app).changes), sum = (/** @type {Change[]} */ list) => list.reduce((s, c) => s + c.change, 0);
		const first = sure.slice(0, 12), others = sure.slice(12), rest = whole - sum(sure);
		/** @type {[string, number, string][]} */
		const parts = first.map((c) => [c.name, c.change, '']);
		if (others.length)
			parts.push([`${count(others.length)} more`, sum(others), '']);
		parts.push(['all others: no more than chance', rest, 'noise']);
		let at = 0, low = 0, high = 0;
		const spans = parts.map(([, change]) => {
			const from = at;
			at += change;
			return [Math.min(from, at), Math.max(from, at)];
		});
		const moved = unit !== '%' && totals[0].length > 1 && totals[1].length > 1 ? totalsMoved(totals, app.page.head.diff.sides.map((/** @type {any[]} */ side) => side.map((run) => (run.lost_pct || 0) / 100))) : null;
		spans.push([Math.min(0, whole), Math.max(0, whole)]);
		parts.push(['the whole' + (moved ? `: ${signed(moved.low, unit)} to ${signed(moved.high, unit)}` : ''), whole, 'whole']);
		for (const [a, b] of [...spans, moved ? [moved.low, moved.high] : [0, 0]])
			[low, high] = [Math.min(low, a), Math.max(high, b)];
		const place = (/** @type {number} */ v) => (v - low) * 100 / (high - low || 1);
		const bar = (/** @type {string} */ tone, /** @type {number[]} */ [a, b]) => {
			const e = el('i.' + tone);
			e.style.left = place(a) + '%';
			e.style.width = `max(2px, ${place(b) - place(a)}%)`;
			return e;
		};
		return el('ol.makeup', {'aria-label': 'what makes up the change'}, ...parts.map(([name, change, tone], i) =>
			el('li', {}, el('span.wide', {title: brief(name, 500)}, brief(name, 80)), el('b', {}, signed(change, unit)),
				el('span.track', {'aria-hidden': 'true'}, bar('zero', [0, 0]), bar('bar.' + (tone === 'noise' || tone && !(moved && moved.low * moved.high > 0) ? 'noise' : change > 0 ? 'more' : 'less'), spans[i]),
					tone === 'whole' && moved ? bar('span', [moved.low, moved.high]) : ''))));
	}

	/**
	 * @param {HTMLElement} row
	 * @param {HTMLElement[]} cells
	 * @param {Change} c
	 */
	fill(row, cells, c) {
		const {unit} = changesOf(this.app), tone = !c.sure ? 'noise' : c.change > 0 ? 'more' : 'less';
		row.dataset.tone = tone;
		cells[0].textContent = c.was ? shownValue(c.was, unit) : '';
		cells[1].textContent = c.now ? shownValue(c.now, unit) : '';
		cells[2].textContent = signed(c.change, unit);
		cells[3].textContent = c.relative === null || !c.was || !c.now ? '' : signed(c.relative, '%').replace(/\d %$/, ' %');
		const place = (/** @type {number} */ v) => 50 + v * 50 / this.most;
		const bar = el('i.bar.' + tone), span = el('i.span');
		bar.style.left = Math.min(50, place(c.change)) + '%';
		bar.style.width = Math.abs(place(c.change) - 50) + '%';
		cells[4].replaceChildren(el('i.zero'), bar);
		if (c.low !== null && c.high !== null) {
			span.style.left = place(c.low) + '%';
			span.style.width = Math.max(0.5, place(c.high) - place(c.low)) + '%';
			span.title = `${signed(c.low, unit)} to ${signed(c.high, unit)}`;
			cells[4].append(span);
		}
		cells[5].replaceChildren(el('i.zero'), ...c.runs.flatMap((runs, side) => runs.slice(0, 50).map((v) => {
			const dot = el(side ? 'i.dot.new' : 'i.dot');
			dot.style.left = `calc(${place(v - c.was).toFixed(1)}% - 2.5px)`;
			dot.title = shownValue(v, unit);
			return dot;
		})));
		cells[6].textContent = brief(c.name, 300) + (c.how && '  ' + c.how);
		cells[7].textContent = brief(c.dso, 300);
	}
}

/**
 * For each function how it changed: 0 no more than chance, 1 more, 2 less, 3 only
 * new, 4 gone.
 * @param {App} app
 */
export function changeKinds(app) {
	const out = new Uint8Array(app.page.functions), {tested} = app.page.head.diff;
	for (const c of changesOf(app).changes) {
		const kind = tested && !c.sure ? 0 : c.match === 'new' ? 3 : c.match === 'gone' ? 4 : !c.sure ? 0 : c.change > 0 ? 1 : 2;
		const f = kind ? app.names.find(encodeURIComponent(c.name) + '@' + encodeURIComponent(c.dso)) : 0;
		if (f)
			out[f] = kind;
	}
	return out;
}
