// changes.js: the table of a comparison: each row's change with its 95 % interval
// about zero, and a dot for each run.  The numbers are the reader's own
// (docs/formats.md, perfpair-diff): nothing is computed again here.

import { amount, brief, el } from './dom.js';
import { Rows } from './rows.js';

/** @typedef {import('./app.js').App} App */
/** A row as diff --format json prints it. @typedef {{[key: string]: any}} DiffRow */
/**
 * @typedef {{name: string, dso: string, was: number, now: number, change: number, low: number | null,
 *   high: number | null, runs: [number[], number[]], sure: boolean, match: string, before: string}} Change
 */

const CHANGE_COLUMNS = [
	{key: 'was', label: 'Old', title: 'in the old runs'},
	{key: 'now', label: 'New', title: 'in the new runs'},
	{key: 'change', label: 'Change', title: 'new minus old'},
	{key: 'interval', label: 'Change with its 95 % interval', title: 'grey: no more than chance; blue and −: less; orange and +: more'},
	{key: 'runs', label: 'Runs', title: 'a dot for each run, from the lowest to the highest: the old side above, the new side below'},
	{key: 'name', label: 'Symbol', title: 'the function', wide: true},
	{key: 'dso', label: 'Shared Object', title: 'the file that it is in', wide: true},
];
const MATCHES = /** @type {{[match: string]: string}} */ ({new: 'new', gone: 'gone', stem: 'same stem', template: 'same template'});

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
			sure: r.significant === true, match: String(r.match), before: String(r.baseline_symbol ?? '')}));
		return {changes, unit: shares ? '%' : unit, event};
	});
}

/**
 * @param {number} value
 * @param {string} unit
 */
function shownValue(value, unit) {
	return unit === '%' ? value.toFixed(2) + ' %' : (value < 0 ? '−' : '') + amount(Math.abs(value), unit);
}

/**
 * @param {number} value
 * @param {string} unit
 */
function signed(value, unit) {
	return (value < 0 ? '−' : '+') + shownValue(Math.abs(value), unit);
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
		this.list = match ? changes.filter((c) => match(c.name) || match(c.dso)) : changes.slice();
		if (key) {
			this.list.sort((a, b) => {
				const x = /** @type {any} */ (a)[key], y = /** @type {any} */ (b)[key];
				return x < y ? -1 : x > y ? 1 : 0;
			});
			if (down)
				this.list.reverse();
			this.rows.setSort(key, down);
		}
		this.most = changes.reduce((most, c) => Math.max(most, Math.abs(c.change)), 1e-9) * 1.6;
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
			lines.push(`Rows are not tested: the sides' work is ${diff.work}. The intervals are those ${diff.variance}.`);
		else
			lines.push(`${sure.length} of ${changes.length} functions changed by more than chance: together ` +
				`${signed(known, unit)}; all others ${signed(whole - known, unit)}.`);
		const {range, cpus, lanes, steps} = this.app.state;
		if (range || cpus.length || lanes.length || steps.length)
			lines.push('These rows are of the whole runs: what is selected above does not narrow them.');
		const bar = el('div.makeup', {'aria-hidden': 'true'});
		const sum = sure.reduce((total, c) => total + Math.abs(c.change), 0) + Math.abs(whole - known);
		for (const c of sure.slice(0, 40)) {
			const part = el(c.change > 0 ? 'span.more' : 'span.less', {title: `${brief(c.name, 200)} ${signed(c.change, unit)}`},
				brief(c.name, 40));
			part.style.width = (Math.abs(c.change) * 100 / sum).toFixed(2) + '%';
			bar.append(part);
		}
		if (sum > 0) {
			const rest = el('span.noise', {title: `all others ${signed(whole - known, unit)}`});
			rest.style.flex = '1';
			bar.append(rest);
		}
		this.said.replaceChildren(el('h2', {}, 'Old and new'), ...lines.map((l) => el('p', {}, l)), sure.length ? bar : '');
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
		const place = (/** @type {number} */ v) => Math.max(0, Math.min(100, 50 + v * 50 / this.most));
		const bar = el('i.bar.' + tone), span = el('i.span');
		bar.style.left = Math.min(50, place(c.change)) + '%';
		bar.style.width = Math.abs(place(c.change) - 50) + '%';
		cells[3].replaceChildren(el('i.zero'), bar);
		if (c.low !== null && c.high !== null) {
			span.style.left = place(c.low) + '%';
			span.style.width = Math.max(0.5, place(c.high) - place(c.low)) + '%';
			span.title = `${signed(c.low, unit)} to ${signed(c.high, unit)}`;
			cells[3].append(span);
		}
		const all = c.runs.flat(), low = Math.min(...all), wide = Math.max(...all) - low;
		cells[4].replaceChildren(...c.runs.flatMap((runs, side) => runs.slice(0, 50).map((v) => {
			const dot = el(side ? 'i.dot.new' : 'i.dot');
			dot.style.left = (wide > 0 ? 6 + (v - low) * 84 / wide : 48).toFixed(1) + '%';
			return dot;
		})));
		cells[5].textContent = brief(c.name, 300) + (MATCHES[c.match] ? `  (${MATCHES[c.match]}` +
			(c.before ? ' as ' + brief(c.before, 100) : '') + ')' : '');
		cells[6].textContent = brief(c.dso, 300);
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
