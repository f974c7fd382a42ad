// timerows.js: rows by CPU, process and thread, and a heat map of fractions of a
// second.

import { laneWord, sidesOf } from './data.js';
import { context2d, count, el, niceStep, seconds } from './dom.js';
import { ink, mixed } from './colour.js';
import { histogram } from './select.js';
import { AXIS, dragRange, grouping, GUTTER, hatch, KeptCounts, TimeCanvas } from './timeline.js';

/** @typedef {import('./timeline.js').TimeHooks} TimeHooks */
/**
 * A row: the CPUs or lanes in it, from the heads' lists.
 * @typedef {{label: string, title: string, by: 'cpu' | 'lane', numbers: number[], indent: number,
 *   open: boolean | null, key: string}} TimeRow
 */

const LINE = 18, MOST_ROWS = 400;

/** Rows by CPU, process and thread. */
export class TimeRows extends TimeCanvas {
	/** @param {TimeHooks} hooks */
	constructor(hooks) {
		super(hooks, 'samples by CPU, process and thread');
		this.host.classList.add('timerows');
		this.host.tabIndex = 0;
		this.host.setAttribute('role', 'application');
		this.host.setAttribute('aria-roledescription', 'timeline');
		/** @type {Set<string>} */
		this.opened = new Set(hooks.page.head.diff && hooks.page.head.lanes.length < 25 ? ['p0', 'p1'] : []);
		/** @type {TimeRow[]} */
		this.rows = [];
		this.current = 0;
		this.canvas.addEventListener('click', (e) => {
			const box = this.canvas.getBoundingClientRect();
			if (e.clientX - box.left < GUTTER)
				this.press(Math.floor((e.clientY - box.top - AXIS) / LINE), e.ctrlKey || e.metaKey || e.shiftKey,
					e.clientX - box.left < 18);
		});
		this.host.addEventListener('keydown', (e) => this.key(e));
	}

	/** CPUs first, then processes by their samples; the threads of those unfolded. */
	list() {
		const {page} = this.hooks, tree = this.hooks.tree(), sel = this.hooks.selection();
		const {cpus, lanes} = page.head;
		/** @type {TimeRow[]} */
		const rows = cpus.length === 1 && cpus[0] < 0 ? [] : cpus.map((cpu, i) => ({label: cpu < 0 ? 'CPU not known' : `CPU ${cpu}`, title: `CPU ${cpu}`, by: 'cpu', numbers: [i],
			indent: 0, open: null, key: 'c' + cpu}));
		const busy = new Float64Array(lanes.length);
		const {bin, lane, samples} = tree.cells;
		for (let c = 0; c < bin.length; c++)
			if (bin[c] >= sel.from && bin[c] < sel.to)
				busy[lane[c]] += samples[c];
		/** @type {Map<number, number[]>} */
		const processes = new Map();
		// The lanes of a comparison are its runs, one side after the other.
		const sides = sidesOf(page.head), word = laneWord(page.head);
		const sideOf = sides.flatMap((side, k) => side.map(() => k));
		lanes.forEach((lane, i) => {
			const key = sideOf.length ? sideOf[i] ?? 0 : lane.pid, of = processes.get(key) || [];
			of.push(i);
			processes.set(key, of);
		});
		const weight = (/** @type {number[]} */ list) => list.reduce((sum, i) => sum + busy[i], 0);
		const order = [...processes].sort((a, b) => sideOf.length ? a[0] - b[0]
			: Number(a[0] < 0) - Number(b[0] < 0) || weight(b[1]) - weight(a[1]));
		for (const [pid, of] of order) {
			if (!sideOf.length)
				of.sort((a, b) => busy[b] - busy[a]);
			const main = lanes[of.find((i) => lanes[i].tid === pid) ?? of[0]];
			const key = 'p' + pid, open = this.opened.has(key);
			const side = sides.length === 2 ? pid ? 'new' : 'old' : `side ${pid + 1}`;
			rows.push({label: sideOf.length ? `${side}, ${of.length} ${word}s` : pid < 0 ? 'all others' : page.head.lane ? main.comm : `${main.process ?? main.comm} ${pid}`,
				title: sideOf.length ? side : page.head.lane || `process ${pid}`, by: 'lane', numbers: of,
				indent: 0, open: of.length > 1 ? open : null, key});
			if (open)
				for (const i of of)
					rows.push({label: sideOf.length ? lanes[i].comm : lanes[i].tid < 0 ? 'other threads' : `${lanes[i].comm} ${lanes[i].tid}`,
						title: page.head.lane || `thread ${lanes[i].tid}${lanes[i].process ? ' of ' + lanes[i].process : ''}`, by: 'lane', numbers: [i], indent: 1, open: null, key: 't' + i});
		}
		return rows;
	}

	draw() {
		if (!this.host.clientWidth)
			return;
		const all = this.list(), rows = this.rows = all.slice(0, MOST_ROWS), now = ink();
		const {hooks, bins} = this, {group, columns} = grouping(bins, this.width());
		const height = AXIS + rows.length * LINE + (all.length > rows.length ? LINE : 0) + 4;
		const g = context2d(this.canvas, this.host.clientWidth, height);
		this.axis(g, 0);
		this.current = Math.min(this.current, rows.length - 1);
		for (const by of /** @type {('cpu' | 'lane')[]} */ (['cpu', 'lane']))
			this.heat(g, by, group, columns);
		this.cover(g, height);
		rows.forEach((row, i) => this.label(g, row, AXIS + i * LINE, i === this.current));
		if (all.length > rows.length) {
			g.fillStyle = now.faint;
			g.fillText(`${count(all.length - rows.length)} more are not drawn`, 12, AXIS + rows.length * LINE + LINE / 2);
		}
		this.host.setAttribute('aria-label', `samples by CPU, process and thread; ${rows.length} rows`);
		const row = rows[this.current];
		if (row && document.activeElement === this.host)
			hooks.tell(row.title + ', ' + row.label);
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {'cpu' | 'lane'} by
	 * @param {number} group
	 * @param {number} columns
	 */
	heat(g, by, group, columns) {
		const {hooks} = this, now = ink(), step = this.width() * group / this.bins;
		const {cpus, lanes} = hooks.page.head, n = by === 'cpu' ? cpus.length : lanes.length;
		if (!n)
			return;
		const own = new Int32Array(n).map((_, i) => i), only = hooks.marked();
		const rows = this.rows.filter((r) => r.by === by);
		/** @type {(only: Uint8Array | null) => Float64Array[]} */
		const sumsOf = (only) => {
			const counts = this.counts.get(by + !only, hooks.key() + group, only,
				() => histogram(hooks.tree(), {columns, group, rows: n, by, rowOf: own, only}));
			return rows.map((r) => {
				const sum = new Float64Array(columns);
				for (const k of r.numbers)
					for (let c = 0; c < columns; c++)
						sum[c] += counts[k * columns + c] / (hooks.page.head.diff ? r.numbers.length : 1);
				return sum;
			});
		};
		for (const r of rows) {
			g.fillStyle = mixed(now.page, [128, 132, 140], 0.08);
			g.fillRect(GUTTER, AXIS + this.rows.indexOf(r) * LINE, this.width(), LINE - 1);
		}
		/** @type {(sums: Float64Array[], tone: number[], from: number, to: number) => void} */
		const paint = (sums, tone, from, to) => {
			const most = Math.max(1, ...sums.map((s) => s.reduce((a, b) => Math.max(a, b), 0)));
			rows.forEach((r, i) => {
				for (let c = 0; c < columns; c++) {
					if (!sums[i][c])
						continue;
					g.fillStyle = mixed(now.page, tone, from + (to - from) * sums[i][c] / most);
					const x = Math.round(c * step);
					g.fillRect(GUTTER + x, AXIS + this.rows.indexOf(r) * LINE,
						Math.round(Math.min(c * step + step, this.width())) - x, LINE - 1);
				}
			});
		};
		// What is not chosen stays in sight: it was no idleness.
		paint(sumsOf(null), now.heat, 0.15, only ? 0.35 : 1);
		if (only)
			paint(sumsOf(only), now.mark, 0.4, 1);
		for (const r of rows)
			if (by === 'cpu')
				this.gaps(g, cpus[r.numbers[0]], AXIS + this.rows.indexOf(r) * LINE, LINE - 1);
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {TimeRow} row
	 * @param {number} y
	 * @param {boolean} current
	 */
	label(g, row, y, current) {
		const now = ink(), sel = this.hooks.selection();
		const mask = row.by === 'cpu' ? sel.cpus : sel.lanes;
		const chosen = mask && row.numbers.every((k) => mask[k]);
		if (current && document.activeElement === this.host) {
			g.strokeStyle = now.accent;
			g.strokeRect(1.5, y + 0.5, GUTTER - 5, LINE - 2);
		}
		if (chosen) {
			g.fillStyle = now.accent;
			g.fillRect(2, y, 3, LINE - 1);
		}
		g.font = (chosen ? '600 ' : '') + '12px system-ui, sans-serif';
		g.textBaseline = 'middle';
		g.fillStyle = mask && !chosen ? now.faint : now.text;
		if (row.open !== null)
			g.fillText(row.open ? '▾' : '▸', 8, y + LINE / 2);
		g.save();
		g.beginPath();
		g.rect(0, y, GUTTER - 6, LINE);
		g.clip();
		g.fillText(row.label.slice(0, 60), 20 + row.indent * 12, y + LINE / 2);
		g.restore();
	}

	/**
	 * @param {number} i
	 * @param {boolean} add to what is chosen already
	 * @param {boolean} fold
	 */
	press(i, add, fold) {
		const row = this.rows[i];
		if (!row)
			return;
		this.current = i;
		if (fold && row.open !== null) {
			if (!this.opened.delete(row.key))
				this.opened.add(row.key);
			this.draw();
		} else {
			this.hooks.toggle(row.by, row.numbers, add);
		}
	}

	/** @param {KeyboardEvent} e */
	key(e) {
		const row = this.rows[this.current];
		if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
			this.current = Math.max(0, Math.min(this.rows.length - 1, this.current + (e.key === 'ArrowDown' ? 1 : -1)));
			this.draw();
		} else if (row && (e.key === 'Enter' || e.key === ' ')) {
			this.press(this.current, e.shiftKey || e.key === ' ', false);
		} else if (row && row.open !== null && (e.key === 'ArrowRight') !== row.open &&
			(e.key === 'ArrowRight' || e.key === 'ArrowLeft')) {
			this.press(this.current, false, true);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}
}

/** Columns of a second, or of what fits the recording; rows are parts of it. */
export class HeatMap {
	/** @param {TimeHooks} hooks */
	constructor(hooks) {
		this.hooks = hooks;
		this.counts = new KeptCounts();
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {'aria-hidden': 'true'}));
		this.host = el('div.time.heatmap', {role: 'group', 'aria-label': 'heat map of samples'}, this.canvas);
		const time = hooks.page.head.time;
		this.bins = time ? time.bins : 1;
		const bin = time ? time.bin_ns / 1e9 : 1, span = bin * this.bins;
		this.unit = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 86400].find((u) => span / u <= 150 && u / bin >= 8) || span;
		/** Bins a column, and a cell. */
		this.perColumn = Math.max(1, this.unit / bin);
		this.columns = Math.ceil(this.bins / this.perColumn);
		this.cells = Math.max(1, Math.min(50, Math.floor(this.perColumn)));
		dragRange(this.canvas, (e) => this.binAt(e), hooks);
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	geometry() {
		const high = Math.max(3, Math.min(8, Math.floor(260 / this.cells)));
		const wide = Math.max(2, Math.min(26, (this.host.clientWidth - GUTTER - 8) / this.columns));
		return {high, wide, height: high * this.cells};
	}

	/** @param {MouseEvent} e */
	binAt(e) {
		const box = this.canvas.getBoundingClientRect(), {high, wide, height} = this.geometry();
		const x = e.clientX - box.left - GUTTER, y = e.clientY - box.top;
		if (e.type === 'pointerdown' && (x < 0 || x > this.columns * wide || y > height))
			return null;
		const column = Math.max(0, Math.min(this.columns - 1, Math.floor(x / wide)));
		const cell = Math.max(0, Math.min(this.cells - 1, this.cells - 1 - Math.floor(y / high)));
		return Math.min(this.bins - 1, Math.floor(column * this.perColumn + cell * this.perColumn / this.cells));
	}

	draw() {
		if (!this.host.clientWidth)
			return;
		const {hooks, columns, cells, perColumn} = this, {high, wide, height} = this.geometry(), now = ink();
		const g = context2d(this.canvas, this.host.clientWidth, height + AXIS + 2);
		const only = hooks.marked();
		this.paint(g, null, now.heat, only ? 0.4 : 1);
		if (only)
			this.paint(g, only, now.mark, 1);
		g.globalAlpha = 1;
		for (const gap of hooks.gaps())
			for (let b = gap.bin; b < gap.bin + gap.bins; b += perColumn / cells) {
				const column = Math.floor(b / perColumn), cell = Math.floor((b - column * perColumn) * cells / perColumn);
				hatch(g, GUTTER + column * wide, height - (cell + 1) * high, wide, high, gap.throttled);
			}
		this.scale(g, wide, height);
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {Uint8Array | null} only
	 * @param {number[]} tone
	 * @param {number} strongest
	 */
	paint(g, only, tone, strongest) {
		const {hooks, columns, cells, perColumn} = this, {high, wide, height} = this.geometry(), now = ink();
		const range = hooks.range();
		const bins = this.counts.get('bins' + !only, hooks.key(), only,
			() => histogram(hooks.tree(), {columns: this.bins, group: 1, rows: 1, sel: hooks.selection(), only}));
		const sums = new Float64Array(columns * cells), seen = new Float64Array(columns * cells);
		for (let b = 0; b < this.bins; b++) {
			const column = Math.floor(b / perColumn);
			const cell = Math.min(cells - 1, Math.floor((b - column * perColumn) * cells / perColumn));
			sums[column * cells + cell] += bins[b];
			seen[column * cells + cell]++;
		}
		let most = 0;
		for (let k = 0; k < sums.length; k++)
			most = Math.max(most, seen[k] ? sums[k] /= seen[k] : 0);
		for (let k = 0; k < sums.length; k++) {
			if (!seen[k] || only && !sums[k])
				continue;
			const column = Math.floor(k / cells), cell = k % cells, at = column * perColumn + cell * perColumn / cells;
			g.globalAlpha = range && (at + perColumn / cells <= range.from || at >= range.to) ? 0.25 : 1;
			g.fillStyle = sums[k] ? mixed(now.page, tone, strongest * (0.12 + 0.88 * sums[k] / most))
				: mixed(now.page, [128, 132, 140], 0.08);
			g.fillRect(GUTTER + column * wide, height - (cell + 1) * high, wide - (wide > 5 ? 1 : 0), high - 0.5);
		}
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} wide
	 * @param {number} height
	 */
	scale(g, wide, height) {
		g.fillStyle = ink().faint;
		g.font = '11px system-ui, sans-serif';
		g.textBaseline = 'middle';
		g.textAlign = 'right';
		g.fillText('+ ' + seconds(this.unit), GUTTER - 6, 7);
		g.fillText('0', GUTTER - 6, height - 6);
		g.textAlign = 'left';
		const step = Math.max(1, niceStep(this.columns, this.columns * wide / 70));
		for (let c = 0; c < this.columns; c += step)
			g.fillText(seconds(c * this.unit), GUTTER + c * wide, height + AXIS / 2 + 2);
	}
}
