// flame.js: a tree as a flame graph on a canvas.
//
// What is narrower than a pixel becomes, for each caller, one grey block at its
// end that says how many functions it stands for: widths always add up.

import { context2d, el } from './dom.js';
import { fillsOf, ink, mixed } from './colour.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./colour.js').Colours} Colours */
/** A drawn frame, or with rest > 0 a block of so many callees of id that weigh `weight`. */
/** @typedef {{id: number, x: number, w: number, level: number, rest: number, weight: number}} Rect */
/**
 * match: 1 for functions that are searched for, null without a search.  kind: the frame's class of colours.
 * @typedef {{label: string, name: (f: number, id: number) => string, colours: () => Colours,
 *   kind: (f: number, id: number) => number,
 *   match: () => Uint8Array | null, byName: () => boolean,
 *   onSelect: (rect: Rect) => void, onZoom: (id: number) => void,
 *   onHover: (rect: Rect | null, x: number, y: number) => void}} FlameHooks
 */

const ROW = 19;
const MOST = 12000;
const FONT = '12px system-ui, sans-serif';

/**
 * Thin lines to be filled with.
 * @param {CanvasRenderingContext2D} g
 * @param {boolean} falls
 */
function lines(g, falls) {
	const tile = new OffscreenCanvas(7, 7), t = /** @type {OffscreenCanvasRenderingContext2D} */ (tile.getContext('2d'));
	t.strokeStyle = 'rgb(0 0 0 / .3)';
	for (let k = -7; k <= 7; k += 7) {
		t.moveTo(k, falls ? 0 : 7);
		t.lineTo(k + 7, falls ? 7 : 0);
	}
	t.stroke();
	return /** @type {CanvasPattern} */ (g.createPattern(tile, 'repeat'));
}

export class Flame {
	/** @param {FlameHooks} hooks */
	constructor(hooks) {
		this.hooks = hooks;
		/** @type {Tree | null} */
		this.tree = null;
		/** Callers at the bottom. */
		this.rising = false;
		this.zoom = 0;
		this.selected = 0;
		/** What of the zoomed node is in sight, as shares of it. */
		this.view = [0, 1];
		/** @type {Rect[][]} */
		this.levels = [];
		this.drawn = {frames: 0, blocks: 0, merged: 0, weight: 0};
		/** @type {Rect | null} */
		this.over = null;
		this.canvas = /** @type {HTMLCanvasElement} */ (el('canvas', {'aria-hidden': 'true'}));
		this.space = el('div.space');
		this.host = el('div.flame', {tabindex: 0, role: 'application', 'aria-roledescription': 'flame graph',
			'aria-label': hooks.label}, this.canvas, this.space);
		/** @type {Map<number, number>} */
		this.widths = new Map();
		this.listen();
	}

	listen() {
		const host = this.host;
		host.addEventListener('scroll', () => this.draw());
		host.addEventListener('mousemove', (e) => this.hover(this.hit(e), e));
		host.addEventListener('mouseleave', (e) => this.hover(null, e));
		host.addEventListener('click', (e) => {
			const rect = this.hit(e);
			if (rect)
				this.select(rect);
		});
		host.addEventListener('dblclick', (e) => {
			const rect = this.hit(e);
			if (rect)
				this.hooks.onZoom(rect.id);
		});
		host.addEventListener('wheel', (e) => {
			if (!e.ctrlKey && !e.shiftKey)
				return;
			e.preventDefault();
			const [a, b] = this.view, at = a + (b - a) * (e.clientX - host.getBoundingClientRect().left) / this.width();
			if (e.ctrlKey)
				this.look(at - (at - a) * 1.002 ** e.deltaY, at + (b - at) * 1.002 ** e.deltaY);
			else
				this.pan((e.deltaY || e.deltaX) / this.width());
		}, {passive: false});
		new ResizeObserver(() => this.refresh()).observe(host);
	}

	width() {
		return Math.max(1, this.host.clientWidth);
	}

	/**
	 * @param {Tree} tree
	 * @param {number} zoom
	 * @param {number} selected
	 */
	show(tree, zoom, selected) {
		if (zoom !== this.zoom || !this.tree || tree.upward !== this.tree.upward)
			this.view = [0, 1];
		const turned = !this.tree;
		this.tree = tree;
		this.zoom = zoom;
		this.selected = selected;
		this.over = null;
		this.refresh();
		if (turned && this.rising)
			this.host.scrollTop = this.host.scrollHeight;
	}

	refresh() {
		if (!this.tree || !this.host.isConnected || !this.host.clientWidth)
			return;
		this.layOut();
		this.draw();
	}

	/** Rectangles by level, those of a level from left to right. */
	layOut() {
		for (let least = 1; ; least *= 2) {
			const {frames, blocks} = this.drawn = this.place(least);
			if (frames + blocks <= MOST || least > 64)
				break;
		}
		this.space.style.height = this.levels.length * ROW + 'px';
	}

	/**
	 * @param {number} least width in pixels of what is a rectangle of its own
	 */
	place(least) {
		const tree = /** @type {Tree} */ (this.tree);
		const width = this.width(), [from, to] = this.view;
		const whole = tree.total(this.zoom);
		const scale = width / ((to - from) * whole);
		const said = {frames: 0, blocks: 0, merged: 0, weight: 0};
		this.levels = [];
		if (!(whole > 0))
			return said;
		for (let id = tree.parent(this.zoom); id >= 0; id = tree.parent(id))
			this.levels.unshift([{id, x: 0, w: width, level: 0, rest: 0, weight: tree.total(id)}]);
		const above = this.levels.length;
		this.levels.forEach((level, i) => {
			level[0].level = i;
		});
		this.levels.push([{id: this.zoom, x: -from * whole * scale, w: whole * scale, level: above, rest: 0, weight: whole}]);
		const byName = this.hooks.byName();
		for (let level = above; level < this.levels.length; level++) {
			/** @type {Rect[]} */
			const next = [];
			for (const r of this.levels[level]) {
				if (r.rest)
					continue;
				said.frames++;
				const {kids, rest, restCount} = tree.below(r.id, least / scale);
				if (!byName)
					kids.sort((a, b) => tree.total(b) - tree.total(a));
				else if (tree.upward)
					kids.sort((a, b) => tree.func(a) - tree.func(b));
				let x = r.x;
				for (const id of kids) {
					const weight = tree.total(id), w = weight * scale;
					if (x + w > 0 && x < width)
						next.push({id, x, w, level: level + 1, rest: 0, weight});
					x += w;
				}
				said.merged += restCount;
				said.weight += rest;
				if (rest * scale >= 0.5 && x < width && x + rest * scale > 0) {
					next.push({id: r.id, x, w: rest * scale, level: level + 1, rest: restCount, weight: rest});
					said.blocks++;
				}
			}
			if (next.length)
				this.levels.push(next);
		}
		return said;
	}

	/** Where the levels begin and how they go on: y of a level. */
	top() {
		const height = this.host.clientHeight;
		return Math.max(0, height - this.levels.length * ROW);
	}

	/** @param {number} level */
	yOf(level) {
		return this.rising ? this.top() + (this.levels.length - 1 - level) * ROW : level * ROW;
	}

	draw() {
		const tree = this.tree;
		if (!tree)
			return;
		const width = this.width(), height = this.host.clientHeight, scroll = this.host.scrollTop;
		const g = context2d(this.canvas, width, height);
		const colours = this.hooks.colours(), fills = fillsOf(colours), now = ink();
		const match = this.hooks.match();
		const zoomLevel = tree.depth(this.zoom);
		/** @type {Map<string, Rect[]>} */
		const byFill = new Map();
		const shown = [], lined = /** @type {[Rect[], Rect[]]} */ ([[], []]);
		for (let level = 0; level < this.levels.length; level++) {
			const y = this.yOf(level) - scroll;
			if (y + ROW < 0 || y > height)
				continue;
			for (const r of this.levels[level]) {
				const f = tree.func(r.id), kind = this.hooks.kind(f, r.id), slope = f && !r.rest ? colours.classes[kind].slope : 0;
				const dim = r.rest ? false : match ? !match[f] : level < zoomLevel;
				const fill = r.rest ? now.rest : f === 0 ? mixed(now.page, [128, 132, 140], 0.25)
					: fills[kind * 3 + colours.shade[f]];
				if (slope && r.w > 2)
					lined[slope > 0 ? 0 : 1].push(r);
				const key = (dim ? '-' : '+') + fill;
				const list = byFill.get(key);
				if (list)
					list.push(r);
				else
					byFill.set(key, [r]);
				if (r.w > 26)
					shown.push(r);
			}
		}
		for (const [key, rects] of byFill) {
			g.globalAlpha = key[0] === '-' ? 0.3 : 1;
			g.fillStyle = key.slice(1);
			for (const r of rects)
				g.fillRect(r.x, this.yOf(r.level) - scroll, r.w > 3 ? r.w - 1 : Math.max(r.w - 0.25, 0.5), ROW - 1);
		}
		g.globalAlpha = 1;
		lined.forEach((rects, falls) => {
			if (rects.length)
				g.fillStyle = lines(g, falls > 0);
			for (const r of rects)
				g.fillRect(r.x, this.yOf(r.level) - scroll, r.w - 1, ROW - 1);
		});
		this.outline(g, scroll);
		this.labels(g, shown, scroll, match, zoomLevel);
	}

	/**
	 * The frames of the selected function, and the selected one itself.
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} scroll
	 */
	outline(g, scroll) {
		const tree = /** @type {Tree} */ (this.tree);
		const f = tree.func(this.selected);
		g.strokeStyle = ink().accent;
		for (const level of this.levels)
			for (const r of level) {
				if (r.rest || !f || tree.func(r.id) !== f)
					continue;
				const one = r.id === this.selected;
				g.lineWidth = one ? 2 : 1;
				const x = Math.max(r.x, -4), w = Math.min(r.x + r.w, this.width() + 4) - x;
				g.strokeRect(x + (one ? 1 : 0.5), this.yOf(r.level) - scroll + (one ? 1 : 0.5),
					Math.max(w - (one ? 3 : 2), 1), ROW - (one ? 3 : 2));
			}
		if (this.over && (this.over.id !== this.selected || this.over.rest)) {
			g.lineWidth = 1;
			g.strokeStyle = ink().text;
			g.strokeRect(this.over.x + 0.5, this.yOf(this.over.level) - scroll + 0.5, Math.max(this.over.w - 2, 1), ROW - 2);
		}
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {Rect[]} rects
	 * @param {number} scroll
	 * @param {Uint8Array | null} match
	 * @param {number} zoomLevel
	 */
	labels(g, rects, scroll, match, zoomLevel) {
		const tree = /** @type {Tree} */ (this.tree);
		const now = ink(), width = this.width();
		g.font = FONT;
		g.textBaseline = 'middle';
		for (const r of rects) {
			const x = Math.max(r.x, 0), room = Math.min(r.x + r.w, width) - x - 8;
			if (room < 16)
				continue;
			const f = tree.func(r.id);
			const text = r.rest ? `${r.rest} more` : this.hooks.name(f, r.id);
			const faint = r.rest || (match ? !match[f] : r.level < zoomLevel);
			g.fillStyle = faint ? now.faint : now.text;
			const cut = this.fit(g, text, room);
			if (cut)
				g.fillText(cut, x + 4, this.yOf(r.level) - scroll + ROW / 2);
		}
	}

	/**
	 * The beginning of a text that is no wider than so many pixels.
	 * @param {CanvasRenderingContext2D} g
	 * @param {string} text
	 * @param {number} room
	 */
	fit(g, text, room) {
		let used = 0, fits = 0;
		for (let i = 0; i < text.length; i++) {
			const c = text.charCodeAt(i);
			let w = this.widths.get(c);
			if (w === undefined) {
				w = g.measureText(text[i]).width;
				this.widths.set(c, w);
			}
			used += w;
			if (used <= room - 9)
				fits = i + 1;
			if (used > room)
				return fits > 1 ? text.slice(0, fits) + '…' : '';
		}
		return text;
	}

	/**
	 * @param {MouseEvent} event
	 * @returns {Rect | null}
	 */
	hit(event) {
		const box = this.host.getBoundingClientRect();
		const x = event.clientX - box.left, y = event.clientY - box.top + this.host.scrollTop;
		const row = Math.floor((this.rising ? y - this.top() : y) / ROW);
		const level = this.levels[this.rising ? this.levels.length - 1 - row : row];
		return level && x < this.width() ? level.find((r) => x >= r.x && x < r.x + r.w) || null : null;
	}

	/**
	 * @param {Rect | null} rect
	 * @param {MouseEvent} event
	 */
	hover(rect, event) {
		if (rect !== this.over) {
			this.over = rect;
			this.draw();
		}
		this.hooks.onHover(rect, event.clientX, event.clientY);
	}

	/** @param {Rect} rect */
	select(rect) {
		if (!rect.rest)
			this.selected = rect.id;
		this.draw();
		this.hooks.onSelect(rect);
	}

	/**
	 * Shows a part of the zoomed node.
	 * @param {number} from
	 * @param {number} to
	 */
	look(from, to) {
		const span = Math.min(1, Math.max(to - from, 1e-7));
		const start = Math.min(Math.max(0, from), 1 - span);
		this.view = [start, start + span];
		this.refresh();
	}

	/** @param {number} share of what is in sight */
	pan(share) {
		const [a, b] = this.view, step = (b - a) * share;
		this.look(a + step, b + step);
	}

	/** @param {number} factor */
	scale(factor) {
		const [a, b] = this.view, middle = (a + b) / 2, half = (b - a) / 2 * factor;
		this.look(middle - half, middle + half);
	}

	/**
	 * Brings the selected frame into sight.
	 * @param {number} id
	 */
	reveal(id) {
		const tree = /** @type {Tree} */ (this.tree);
		const y = this.yOf(tree.depth(id)), height = this.host.clientHeight;
		if (y < this.host.scrollTop)
			this.host.scrollTop = y - ROW;
		else if (y + ROW > this.host.scrollTop + height)
			this.host.scrollTop = y + 2 * ROW - height;
	}

	/**
	 * The frame that an arrow leads to from the selected one.
	 * @param {string} key
	 * @returns {Rect | null}
	 */
	neighbour(key) {
		const tree = /** @type {Tree} */ (this.tree);
		const level = this.levels[tree.depth(this.selected)] || [];
		const at = level.findIndex((r) => r.id === this.selected && !r.rest);
		if (at < 0)
			return this.levels.length ? this.levels[Math.min(tree.depth(this.zoom), this.levels.length - 1)][0] : null;
		const frames = level.filter((r) => !r.rest), here = frames.indexOf(level[at]);
		if (key === 'ArrowLeft' || key === 'ArrowRight')
			return frames[here + (key === 'ArrowLeft' ? -1 : 1)] || null;
		if ((key === 'ArrowUp') !== this.rising)
			return (this.levels[level[at].level - 1] || []).find((r) => r.id === tree.parent(this.selected)) || null;
		const kids = (this.levels[level[at].level + 1] || []).filter((r) => !r.rest && tree.parent(r.id) === this.selected);
		return kids.reduce((best, r) => !best || r.w > best.w ? r : best, /** @type {Rect | null} */ (null));
	}
}
