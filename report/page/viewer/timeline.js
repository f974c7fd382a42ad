// timeline.js: what ran when: the strip above all views, and what it shares with
// the other pictures over time.

import { sidesOf } from './data.js';
import { binText, binUnit, context2d, clockStep, count, counted, el, niceStep, scrollbarWidth, seconds, utcText } from './dom.js';
import { ink, mixed } from './colour.js';
import { histogram } from './select.js';

/** @typedef {import('./data.js').Page} Page */
/** @typedef {import('./data.js').EventTree} EventTree */
/** @typedef {import('./select.js').Selection} Selection */
/** @typedef {{from: number, to: number}} Range bins, without `to` */
/**
 * What the timelines need of the page: marked are the nodes that the search or
 * the chosen function is in, null for none.
 * key: changes with event, CPUs and threads.
 * @typedef {{page: Page, key: () => string, tree: () => EventTree, selection: () => Selection, range: () => Range | null,
 *   gaps: () => Gap[], marked: () => Uint8Array | null, setRange: (range: Range | null, done: boolean) => void,
 *   toggle: (by: 'cpu' | 'lane', numbers: number[], add: boolean) => void,
 *   tell: (text: string) => void}} TimeHooks
 */

export const GUTTER = 190;
export const AXIS = 16;
const STRIP = 62;

/**
 * How many bins are a column of at most so many pixels.
 * @param {number} bins
 * @param {number} width
 */
export function grouping(bins, width) {
	const group = Math.max(1, Math.ceil(bins / Math.max(1, width)));
	return {group, columns: Math.ceil(bins / group)};
}

/**
 * Lets a range be dragged over an element.
 * @param {HTMLElement} element
 * @param {(event: PointerEvent) => number | null} binAt where the pointer is; null: not in time
 * @param {TimeHooks} hooks
 */
export function dragRange(element, binAt, hooks) {
	/** @type {number | null} */
	let start = null;
	let moved = false;
	/** @type {(event: PointerEvent) => Range | null} */
	const rangeTo = (event) => {
		const at = binAt(event);
		return start === null || at === null ? null : {from: Math.min(start, at), to: Math.max(start, at) + 1};
	};
	element.addEventListener('pointerdown', (e) => {
		start = e.button === 0 ? binAt(e) : null;
		moved = false;
		if (start !== null)
			element.setPointerCapture(e.pointerId);
	});
	element.addEventListener('pointermove', (e) => {
		const range = rangeTo(e);
		if (!range)
			return;
		moved = moved || range.to - range.from > 1;
		if (moved)
			hooks.setRange(range, false);
	});
	element.addEventListener('pointerup', (e) => {
		const range = rangeTo(e);
		start = null;
		if (range && moved)
			hooks.setRange(range, true);
	});
	element.addEventListener('pointercancel', () => {
		start = null;
	});
	element.addEventListener('dblclick', (e) => {
		if (binAt(/** @type {any} */ (e)) !== null)
			hooks.setRange(null, true);
	});
}

/**
 * A time without samples: lost ones, or the kernel throttled the event.
 * @typedef {{bin: number, bins: number, cpu: number, throttled: boolean, samples?: number, ns?: number}} Gap
 */

/**
 * A hatched rectangle: samples are missing here, whatever the colour below says.
 * Losses rise to the right, throttled times fall.
 * @param {CanvasRenderingContext2D} g
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {boolean} throttled
 */
export function hatch(g, x, y, w, h, throttled) {
	const tone = throttled ? ink().throttle : ink().hatch;
	g.save();
	g.beginPath();
	g.rect(x, y, w, h);
	g.clip();
	g.globalAlpha = 0.2;
	g.fillStyle = g.strokeStyle = tone;
	g.fillRect(x, y, w, h);
	g.globalAlpha = 1;
	g.lineWidth = 1;
	g.beginPath();
	for (let k = x - h; k < x + w; k += 4) {
		g.moveTo(k, throttled ? y : y + h);
		g.lineTo(k + h, throttled ? y + h : y);
	}
	g.stroke();
	g.restore();
}

/** Counts that are kept while what they depend on stays: a drag changes only the range. */
export class KeptCounts {
	constructor() {
		/** @type {Map<string, {key: string, only: Uint8Array | null, value: Float64Array}>} */
		this.kept = new Map();
	}

	/**
	 * @param {string} name
	 * @param {string} key
	 * @param {Uint8Array | null} only
	 * @param {() => Float64Array} make
	 */
	get(name, key, only, make) {
		const kept = this.kept.get(name);
		if (kept && kept.key === key && kept.only === only)
			return kept.value;
		const value = make();
		this.kept.set(name, {key, only, value});
		return value;
	}
}

/** Lines, axis and gaps that the strip and the rows share. */
export class TimeCanvas {
	/**
	 * @param {TimeHooks} hooks
	 * @param {string} label
	 */
	constructor(hooks, label) {
		this.hooks = hooks;
		this.counts = new KeptCounts();
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {'aria-hidden': 'true'}));
		this.host = el('div.time', {role: 'group', 'aria-label': label}, this.canvas);
		const time = this.time = hooks.page.head.time;
		this.bins = time ? time.bins : 1;
		this.span = time ? time.bins * binUnit(time) : 1;
		this.unit = time && !time.bin_ns ? ' %' : ' s';
		dragRange(this.canvas, (e) => this.binAt(e), hooks);
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	width() {
		return Math.max(10, this.host.clientWidth - GUTTER - 8);
	}

	/** @param {number} bin */
	x(bin) {
		return GUTTER + bin * this.width() / this.bins;
	}

	/** @param {MouseEvent} e */
	binAt(e) {
		const x = e.clientX - this.canvas.getBoundingClientRect().left - GUTTER;
		if (x < 0 && !e.buttons)
			return null;
		if (x < -6 && e.type === 'pointerdown')
			return null;
		return Math.max(0, Math.min(this.bins - 1, Math.floor(x * this.bins / this.width())));
	}

	draw() {}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} y
	 */
	axis(g, y) {
		const now = ink(), width = this.width();
		g.font = '11px system-ui, sans-serif';
		g.textBaseline = 'middle';
		g.fillStyle = now.faint;
		g.strokeStyle = now.line;
		g.lineWidth = 1;
		const utc = this.time && this.time.utc ? this.time : null;
		if (!this.time)
			return;
		const step = (utc ? clockStep : niceStep)(this.span, width / 90), digits = Math.max(0, -Math.floor(Math.log10(step)));
		for (let t = utc ? step - 1 - (utc.first_ns / 1e9 - 1) % step : 0; t <= this.span; t += step) {
			const x = Math.round(GUTTER + t / this.span * width) + 0.5;
			g.beginPath();
			g.moveTo(x, y);
			g.lineTo(x, y + 4);
			g.stroke();
			if (x < GUTTER + width - 34)
				g.fillText(utc ? utcText(utc, t).slice(step < 60 ? 11 : 5, step < 60 ? 19 : 16)
					: t.toFixed(digits) + this.unit, x + 3, y + AXIS / 2 + 1);
		}
	}

	/**
	 * What is not selected is covered.
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} height
	 */
	cover(g, height) {
		const range = this.hooks.range();
		if (!range)
			return;
		const now = ink(), left = this.x(range.from), right = this.x(range.to);
		g.fillStyle = mixed(now.page, now.page, 0).replace('rgb', 'rgba').replace(')', ',0.72)');
		g.fillRect(GUTTER, 0, left - GUTTER, height);
		g.fillRect(right, 0, GUTTER + this.width() - right, height);
		g.fillStyle = now.accent;
		g.fillRect(left - 1, 0, 1.5, height);
		g.fillRect(right - 0.5, 0, 1.5, height);
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} cpu -1: those whose CPU is not known
	 * @param {number} y
	 * @param {number} h
	 */
	gaps(g, cpu, y, h) {
		for (const gap of this.hooks.gaps())
			if (gap.bins > 0 && gap.cpu === cpu)
				hatch(g, this.x(gap.bin), y, Math.max(3, this.x(gap.bin + gap.bins) - this.x(gap.bin)), h, gap.throttled);
	}
}

/** The strip above all views. */
export class Strip extends TimeCanvas {
	/** @param {TimeHooks} hooks */
	constructor(hooks) {
		super(hooks, 'time');
		this.host.classList.add('strip');
		this.canvas.addEventListener('pointermove', (e) => {
			const bin = this.binAt(e), time = hooks.page.head.time;
			if (bin === null || !time || e.buttons)
				return;
			this.canvas.title = binText(time, bin) + (time.utc ? ' UTC' : time.bin_ns ?
				` (${((time.first_ns + bin * time.bin_ns) / 1e9).toFixed(6)} in perf's clock)` : ' of each run');
		});
	}

	/** As wide as the rows of the timeline, which stand beside a scroll bar. */
	width() {
		return Math.max(10, super.width() - scrollbarWidth());
	}

	draw() {
		if (!this.host.clientWidth)
			return;
		const g = context2d(this.canvas, this.host.clientWidth, STRIP + AXIS), now = ink();
		const {hooks, bins} = this, {group, columns} = grouping(bins, this.width());
		const how = {columns, group, rows: 1, sel: hooks.selection()};
		const only = hooks.marked(), key = hooks.key() + group;
		// A comparison has two: the old runs above the new ones.
		const {diff} = hooks.page.head, rows = diff ? 2 : 1, high = STRIP / rows;
		const sides = diff ? {rows, by: /** @type {'lane'} */ ('lane'), rowOf: Int32Array.from(sidesOf(hooks.page.head).slice(0, 2).flatMap((side, s) => side.map(() => s)))} : {};
		const counts = (/** @type {Uint8Array | null} */ only) => histogram(hooks.tree(), {...how, ...sides, only});
		const all = this.counts.get('all', key, null, () => counts(null));
		const part = only ? this.counts.get('part', key, only, () => counts(only)) : null;
		let most = 1;
		for (const v of all)
			most = Math.max(most, v);
		const step = this.width() * group / bins;
		const bars = (/** @type {Float64Array} */ values, /** @type {string} */ fill) => {
			g.fillStyle = fill;
			for (let k = 0; k < values.length; k++) {
				const c = k % columns, h = values[k] / most * (high - 6), x = Math.round(c * step);
				if (h > 0)
					g.fillRect(GUTTER + x, high * (1 + Math.floor(k / columns)) - h, Math.round(Math.min(c * step + step, this.width())) - x, h);
			}
		};
		bars(all, mixed(now.page, now.heat, part ? 0.3 : 0.62));
		if (part)
			bars(part, mixed(now.page, now.mark, 0.9));
		// Each CPU has its share of the height, so that what is hatched is what is missing.
		const {cpus} = hooks.page.head, band = Math.max(1, STRIP / cpus.length);
		this.gaps(g, -1, 0, STRIP);
		cpus.forEach((cpu, i) => cpu >= 0 && this.gaps(g, cpu, Math.floor(i * band), Math.ceil(band)));
		this.cover(g, STRIP);
		g.fillStyle = now.line;
		for (let y = high; y <= STRIP; y += high)
			g.fillRect(GUTTER, y, this.width(), 1);
		this.axis(g, STRIP);
		this.labels(g, all, part);
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {Float64Array} all
	 * @param {Float64Array | null} part
	 */
	labels(g, all, part) {
		const now = ink(), gaps = this.hooks.gaps();
		const lost = gaps.reduce((sum, l) => sum + (l.samples || 0), 0), ns = gaps.reduce((sum, l) => sum + (l.ns || 0), 0);
		const sum = (/** @type {Float64Array} */ list) => list.reduce((a, b) => a + b, 0);
		let y = 43;
		/** @type {(text: string, fill: string, swatch: (y: number) => void) => void} */
		const line = (text, fill, swatch) => {
			swatch(y - 5);
			g.fillStyle = fill;
			g.fillText(text, 26, y);
			y += 14;
		};
		g.font = '12px system-ui, sans-serif';
		g.textBaseline = 'middle';
		g.fillStyle = now.text;
		if (this.hooks.page.head.diff) {
			const half = all.length / 2;
			g.fillText(`old: ${counted(sum(all.subarray(0, half)), 'sample')}`, 12, 16);
			g.fillText(`new: ${counted(sum(all.subarray(half)), 'sample')}`, 12, 16 + STRIP / 2);
			return;
		}
		g.fillText(counted(sum(all), 'sample'), 12, 12);
		g.fillStyle = now.faint;
		g.font = '11px system-ui, sans-serif';
		g.fillText(this.time && this.time.utc ? `from ${utcText(this.time, 0)} UTC` : `over ${seconds(this.span)}`, 12, 28);
		if (part)
			line(`${count(sum(part))} chosen`, now.faint, (y) => {
				g.fillStyle = mixed(now.page, now.mark, 0.9);
				g.fillRect(12, y, 9, 9);
			});
		if (lost)
			line(counted(lost, 'lost sample'), now.hatch, (y) => hatch(g, 12, y, 9, 9, false));
		if (ns)
			line(`throttled for ${seconds(ns / 1e9)}`, now.throttle, (y) => hatch(g, 12, y, 9, 9, true));
	}
}
