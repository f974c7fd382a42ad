// listing.js: the source lines and instructions of one function, with the share of
// its samples beside each.

import { brief, button, count, counted, el, percent } from './dom.js';
import { shareCell } from './table.js';
import { Rows } from './rows.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Listed} Listed */
/** A line; row: the instruction of it with the most samples; file alone: its name. */
/** @typedef {{file: number, line: number, rows: number, row: number, period: number, samples: number}} Line */

const SHARES = [
	{key: 'share', label: 'Share', title: 'share of the samples in this function'},
	{key: 'samples', label: 'Samples', title: 'samples taken there'}];

export class Listing {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.key = '';
		/** @type {Listed | null} */
		this.code = null;
		/** Rows as they are shown; -1 - r: what is left out before row r. @type {number[]} */
		this.shown = [];
		/** @type {Line[]} */
		this.list = [];
		this.mine = '';
		this.whole = 0;
		this.lines = new Rows({label: 'source lines', role: 'grid', columns: [...SHARES,
			{key: 'line', label: 'Line', title: 'of the source file'}, {key: 'text', label: 'Source', title: 'the source', wide: true}],
		fill: (row, cells, i) => this.fillLine(row, cells, this.list[i]),
		onSelect: (i) => this.toRow(this.list[i]), onOpen: (i) => this.toRow(this.list[i])});
		this.rows = new Rows({label: 'instructions: Enter follows a jump or call, h goes to the hottest', role: 'grid', columns: [...SHARES,
			{key: 'address', label: 'Address', title: 'in the file'}, {key: 'text', label: 'Instruction', title: 'the instruction', wide: true}],
		fill: (row, cells, i) => this.fillRow(row, cells, this.shown[i]),
		onSelect: (i) => this.toLine(this.shown[i]), onOpen: (i) => this.follow(this.shown[i]),
		onClick: (e, i) => /** @type {HTMLElement} */ (e.target).closest('.go') && this.follow(this.shown[i])});
		this.said = el('span.faint');
		this.host = el('div.half.listing', {}, this.lines.host, this.rows.host);
	}

	/** Why a function has no instructions here. @param {number} f */
	why(f) {
		const head = this.app.page.head.code, kind = this.app.page.kind[f];
		if (!head || kind > 4)
			return '';
		if (kind === 3)
			return 'its instructions are in the functions that it is inlined into';
		const found = head.problems.find(([of]) => of === f);
		return found ? found[1] : head.left_out.includes(f) ? 'they did not fit into the page'
			: `the page has those of functions with at least ${head.least_pct} % of an event`;
	}

	/** @param {number} f */
	render(f) {
		const {app} = this, {state} = app, code = this.code = app.page.code.of.get(f) || null, key = f + ' ' + state.event;
		if (!code)
			return;
		if (key !== this.key) {
			this.key = key;
			this.mine = '';
			this.whole = code.period[state.event].reduce((a, b) => a + b, 0);
			this.shown = [];
			for (let r = 0; r < code.n; r++)
				this.shown.push(...code.skipped[r] ? [-1 - r, r] : [r]);
			if (code.behind)
				this.shown.push(-1 - code.n);
			this.list = linesOf(app, code);
			this.lines.host.hidden = !this.list.length;
			this.lines.current = this.rows.current = -1;
			this.lines.host.scrollTop = this.rows.host.scrollTop = 0;
		}
		const narrowed = state.range || state.cpus.length || state.lanes.length || state.steps.length;
		const all = code.samples[state.event].reduce((a, b) => a + b, 0);
		this.said.replaceChildren(`${counted(all, 'sample')} in ${counted(code.samples[state.event].filter((n) => n > 0).length, 'instruction')} of ` +
			`${count(code.n + code.behind + code.skipped.reduce((a, b) => a + b, 0))}. `, narrowed ? el('b', {},
			'Shares are of the whole recording: what is selected above does not narrow them. ') : '',
		button('Hottest', 'the hottest instruction, then the next (h)', () => this.hottest()));
		this.lines.setCount(this.list.length);
		this.rows.setCount(this.shown.length);
		if (this.rows.current < 0 && all)
			this.hottest();
	}

	/** To the instruction with the most samples, from there to the next. */
	hottest() {
		if (!this.code)
			return;
		const {period} = this.code, own = period[this.app.state.event], order = [...own.keys()].filter((r) => own[r] > 0);
		order.sort((a, b) => own[b] - own[a] || a - b);
		if (order.length)
			this.show(order[(order.indexOf(this.shown[this.rows.current]) + 1) % order.length]);
	}

	/** @param {number} r a row */
	show(r) {
		const i = this.shown.indexOf(r);
		roomAround(this.rows, i, Math.floor(this.rows.host.clientHeight / 66));
		this.rows.select(i, true);
	}

	/** The line of an instruction. @param {number} r */
	toLine(r) {
		const code = /** @type {Listed} */ (this.code);
		this.mine = r < 0 || !code.line[r] ? '' : lineKey(code, r);
		const i = this.list.findIndex((l) => l.line && l.file + ':' + l.line === this.mine);
		roomAround(this.lines, i, 3);
		this.lines.select(i, false);
		this.lines.draw();
		this.rows.draw();
		this.tell(r < 0 ? 'left out' : this.textOf(r).join(''), r < 0 ? 0 : code.period[this.app.state.event][r]);
	}

	/** The hottest instruction of a line. @param {Line} line */
	toRow(line) {
		this.mine = line.file + ':' + line.line;
		if (line.row >= 0)
			this.rows.select(this.shown.indexOf(line.row), false);
		this.rows.draw();
		this.tell(this.sourceOf(line), line.period);
	}

	/**
	 * @param {string} text
	 * @param {number} part
	 */
	tell(text, part) {
		this.app.tell(`${percent(part, this.whole)}, ${brief(text, 200)}`);
	}

	/** Where an instruction goes to. @param {number} r */
	follow(r) {
		const to = r < 0 || !this.code ? 0 : this.code.target[r];
		if (to & 1)
			this.show((to - 1) / 2);
		else if (to)
			this.app.openFunction(to / 2 - 1);
	}

	/** @param {number} r */
	goes(r) {
		const {page} = this.app, code = /** @type {Listed} */ (this.code), to = code.target[r], row = (to - 1) / 2;
		return !to ? '' : to & 1 ? `${row > r ? '↓' : '↑'} ${code.address[row].toString(16)}` : '→ ' + brief(page.name[to / 2 - 1], 200);
	}

	/** @param {number} r */
	textOf(r) {
		const goes = this.goes(r), text = brief(this.app.page.code.text[/** @type {Listed} */ (this.code).text[r]], 300);
		return [goes ? text.padEnd(6) + ' ' : text, goes];
	}

	/** @param {Line} line */
	sourceOf(line) {
		const {files, source} = this.app.page.code;
		return brief(!line.line ? line.file ? files[line.file - 1] : 'no line is known'
			: source[line.file - 1].get(line.line) ?? counted(line.rows, 'instruction'), 1000);
	}

	/**
	 * @param {HTMLElement} row
	 * @param {HTMLElement[]} cells
	 * @param {number} r
	 */
	fillRow(row, cells, r) {
		const code = /** @type {Listed} */ (this.code), {event} = this.app.state;
		row.classList.toggle('mine', r >= 0 && this.mine !== '' && lineKey(code, r) === this.mine);
		row.classList.toggle('title', r < 0);
		const n = r < 0 ? 0 : code.samples[event][r], left = -1 - r < code.n ? code.skipped[-1 - r] : code.behind;
		shareCell(cells[0], r < 0 ? 0 : code.period[event][r], this.whole);
		cells[1].textContent = n ? count(n) : '';
		cells[2].textContent = r < 0 ? '' : code.address[r].toString(16);
		if (r < 0)
			cells[3].textContent = `${counted(left, 'instruction')} without samples nearby`;
		else
			cells[3].replaceChildren(this.textOf(r)[0], el('span.go', {}, this.textOf(r)[1]));
	}

	/**
	 * @param {HTMLElement} row
	 * @param {HTMLElement[]} cells
	 * @param {Line} line
	 */
	fillLine(row, cells, line) {
		row.classList.toggle('mine', this.mine === line.file + ':' + line.line);
		row.classList.toggle('title', !line.line);
		shareCell(cells[0], line.period, this.whole);
		cells[1].textContent = line.samples ? count(line.samples) : '';
		cells[2].textContent = line.line ? String(line.line) : '';
		cells[3].textContent = this.sourceOf(line);
		cells[3].classList.toggle('dim', line.line > 0 && !this.app.page.code.source[line.file - 1].has(line.line));
	}
}

/**
 * Scrolls so that rows before and behind one are in sight.
 * @param {Rows} rows
 * @param {number} i
 * @param {number} by
 */
function roomAround(rows, i, by) {
	for (const k of i < 0 ? [] : [i + by, i - by])
		rows.select(Math.max(0, Math.min(rows.count - 1, k)), false);
}

/**
 * @param {Listed} code
 * @param {number} r
 */
function lineKey(code, r) {
	return code.line[r] ? code.file[r] + ':' + code.line[r] : '0:0';
}

/**
 * The lines of a function: by file, that with most samples first, below the
 * file's name; where source is held, also the lines between.
 * @param {App} app
 * @param {Listed} code
 */
function linesOf(app, code) {
	const {source} = app.page.code, {event} = app.state;
	/** @type {Map<string, Line>} */
	const by = new Map();
	const at = (/** @type {number} */ file, /** @type {number} */ line) => {
		const key = file + ':' + line;
		let found = by.get(key);
		if (!found)
			by.set(key, found = {file, line, rows: 0, row: -1, period: 0, samples: 0});
		return found;
	};
	for (let r = 0; r < code.n; r++) {
		const line = code.line[r], file = line ? code.file[r] : 0, own = code.period[event];
		for (const l of line ? [at(file, line), at(file, 0)] : [at(0, 0)]) {
			l.rows++;
			l.period += own[r];
			l.samples += code.samples[event][r];
			if (l.row < 0 || own[r] > own[l.row])
				l.row = r;
		}
	}
	const files = [...by.values()].filter((l) => !l.line && l.file);
	for (const {file} of files) {
		const numbers = [...by.values()].flatMap((l) => l.file === file && l.line ? [l.line] : []);
		const least = Math.min(...numbers) - 3, most = Math.max(...numbers) + 3;
		for (const line of source[file - 1].keys())
			if (line >= least && line <= most)
				at(file, line);
	}
	const weight = (/** @type {Line} */ l) => at(l.file, 0).period;
	return files.length ? [...by.values()].sort((a, b) => weight(b) - weight(a) || a.file - b.file || a.line - b.line) : [];
}
