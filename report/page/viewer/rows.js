// rows.js: a grid of many rows of which only those in sight are elements.

import { el } from './dom.js';

/**
 * @typedef {{key: string, label: string, title: string, wide?: boolean}} Column
 * fill: sets the cells of a row.  The other calls say what the user did.
 * @typedef {{label: string, role: string, columns: Column[],
 *   fill: (row: HTMLElement, cells: HTMLElement[], index: number) => void,
 *   onSelect: (index: number) => void, onOpen: (index: number) => void,
 *   onKey?: (event: KeyboardEvent, index: number) => boolean,
 *   onSort?: (key: string) => void, onClick?: (event: MouseEvent, index: number) => void}} RowsSpec
 */

const HEIGHT = 22;
let grids = 0;

export class Rows {
	/** @param {RowsSpec} spec */
	constructor(spec) {
		this.spec = spec;
		this.count = 0;
		this.current = -1;
		this.id = 'grid' + grids++;
		/** @type {HTMLElement[]} */
		this.pool = [];
		this.heads = spec.columns.map((c) => el(c.wide ? 'div.cell.wide' : 'div.cell', {
			role: 'columnheader', title: c.title, 'data-key': c.key,
			onclick: () => spec.onSort && spec.onSort(c.key)}, c.label));
		this.body = el('div.rows', {role: 'rowgroup'});
		const head = el('div.row.head', {role: 'row'}, ...this.heads);
		this.host = el('div.grid', {role: spec.role, tabindex: 0, 'aria-label': spec.label,
			onscroll: () => this.draw(), onkeydown: (/** @type {KeyboardEvent} */ e) => this.key(e)},
		el('div', {role: 'rowgroup', class: 'heads'}, head), this.body);
		this.body.addEventListener('click', (e) => this.click(e, false));
		this.body.addEventListener('dblclick', (e) => this.click(e, true));
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	/** @param {number} n */
	setCount(n) {
		this.count = n;
		this.host.setAttribute('aria-rowcount', String(n + 1));
		this.body.style.height = n * HEIGHT + 'px';
		this.draw();
	}

	/**
	 * @param {string} key
	 * @param {boolean} down
	 */
	setSort(key, down) {
		for (const head of this.heads)
			if (head.dataset.key === key)
				head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
			else
				head.removeAttribute('aria-sort');
	}

	/** Fills the rows in sight. */
	draw() {
		const top = this.host.scrollTop;
		const first = Math.max(0, Math.floor(top / HEIGHT) - 4);
		const rows = Math.max(0, Math.min(this.count - first, Math.ceil(this.host.clientHeight / HEIGHT) + 8));
		while (this.pool.length < rows) {
			const cells = this.spec.columns.map((c) => el(c.wide ? 'div.cell.wide' : 'div.cell', {role: 'gridcell'}));
			this.pool.push(this.body.appendChild(el('div.row', {role: 'row'}, ...cells)));
		}
		for (let k = 0; k < this.pool.length; k++) {
			const row = this.pool[k], i = first + k;
			row.hidden = k >= rows;
			if (k >= rows) {
				row.removeAttribute('id');
				continue;
			}
			row.style.top = i * HEIGHT + 'px';
			row.id = `${this.id}-${i}`;
			row.dataset.index = String(i);
			row.setAttribute('aria-rowindex', String(i + 2));
			row.setAttribute('aria-selected', String(i === this.current));
			this.spec.fill(row, /** @type {HTMLElement[]} */ ([...row.children]), i);
		}
		if (this.current >= first && this.current < first + rows)
			this.host.setAttribute('aria-activedescendant', `${this.id}-${this.current}`);
		else
			this.host.removeAttribute('aria-activedescendant');
	}

	/**
	 * Makes a row the current one and brings it into sight; says so if asked.
	 * @param {number} i
	 * @param {boolean} tell
	 */
	select(i, tell) {
		if (i < 0 || i >= this.count)
			return;
		this.current = i;
		const y = i * HEIGHT, seen = this.host.clientHeight - HEIGHT * 2;
		if (y < this.host.scrollTop)
			this.host.scrollTop = y;
		else if (y > this.host.scrollTop + seen)
			this.host.scrollTop = y - seen;
		this.draw();
		if (tell)
			this.spec.onSelect(i);
	}

	/**
	 * @param {MouseEvent} event
	 * @param {boolean} open
	 */
	click(event, open) {
		const row = /** @type {HTMLElement} */ (event.target).closest('.row');
		if (!row)
			return;
		const i = Number(/** @type {HTMLElement} */ (row).dataset.index);
		if (open) {
			this.spec.onOpen(i);
			return;
		}
		this.select(i, true);
		if (this.spec.onClick)
			this.spec.onClick(event, i);
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		const page = Math.max(1, Math.floor(this.host.clientHeight / HEIGHT) - 2);
		/** @type {{[key: string]: number}} */
		const step = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count};
		if (this.spec.onKey && this.spec.onKey(event, this.current)) {
			event.preventDefault();
			event.stopPropagation();
		} else if (event.key in step && this.count) {
			const to = this.current + step[event.key];
			this.select(Math.max(0, Math.min(this.count - 1, to)), true);
			event.preventDefault();
			event.stopPropagation();
		} else if (event.key === 'Enter' && this.current >= 0) {
			this.spec.onOpen(this.current);
			event.preventDefault();
			event.stopPropagation();
		}
	}
}
