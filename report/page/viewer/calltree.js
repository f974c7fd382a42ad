// calltree.js: the tree as rows to unfold: what the flame graph shows, for
// reading, for the keyboard and for a screen reader.

import { brief, count } from './dom.js';
import { pathOf } from './tree.js';
import { shareCell } from './table.js';
import { Rows } from './rows.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {{id: number, level: number, place: number, of: number, open: boolean, more: boolean}} TreeRow */

const TREE_COLUMNS = [
	{key: 'total', label: 'Children', title: 'share with everything below'},
	{key: 'self', label: 'Self', title: 'share of its own'},
	{key: 'samples', label: 'Samples', title: 'samples with everything below'},
	{key: 'name', label: 'Symbol', title: 'the function', wide: true},
];
const MOST_TREE_ROWS = 200000;

export class CallTreeView {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		/** Paths of the unfolded nodes. */
		this.open = new Set();
		/** @type {TreeRow[]} */
		this.list = [];
		this.rows = new Rows({label: 'call tree', role: 'treegrid', columns: TREE_COLUMNS,
			fill: (row, cells, i) => this.fill(row, cells, i),
			onSelect: (i) => app.selectNode(this.list[i].id),
			onOpen: (i) => this.toggle(i),
			onClick: (e, i) => {
				if (/** @type {HTMLElement} */ (e.target).classList.contains('twisty'))
					this.toggle(i);
			},
			onKey: (e, i) => this.key(e, i)});
		this.host = this.rows.host;
		this.host.classList.add('calltree');
		this.began = '';
	}

	/** @param {number} id */
	keyOf(id) {
		return pathOf(this.app.tree(), id).join();
	}

	render() {
		const {app} = this, tree = app.tree();
		// A tree seen for the first time is unfolded along what weighs most.
		const kind = String(tree.upward);
		if (this.began !== kind) {
			this.began = kind;
			this.unfold(tree.root);
		}
		this.reveal(app.selectedNode());
		this.fillList();
	}

	/**
	 * Unfolds a node and below it what weighs most, while that is a third of it.
	 * @param {number} id
	 */
	unfold(id) {
		const tree = this.app.tree();
		for (let k = 0; k < 40 && tree.hasBelow(id); k++) {
			this.open.add(this.keyOf(id));
			const {kids} = tree.below(id, tree.total(id) / 3);
			if (!kids.length)
				break;
			id = kids.reduce((best, kid) => tree.total(kid) > tree.total(best) ? kid : best);
		}
	}

	/** @param {number} id */
	reveal(id) {
		const tree = this.app.tree();
		for (id = tree.parent(id); id >= 0; id = tree.parent(id))
			this.open.add(this.keyOf(id));
	}

	fillList() {
		const tree = this.app.tree(), zoom = this.app.zoomNode();
		/** @type {TreeRow[]} */
		const list = [];
		/** @type {TreeRow[]} */
		const todo = [{id: zoom, level: 1, place: 1, of: 1, open: false, more: false}];
		while (todo.length && list.length < MOST_TREE_ROWS) {
			const row = /** @type {TreeRow} */ (todo.pop());
			row.more = tree.hasBelow(row.id);
			row.open = row.more && this.open.has(this.keyOf(row.id));
			list.push(row);
			if (!row.open)
				continue;
			const {kids} = tree.below(row.id, 0);
			kids.sort((a, b) => tree.total(a) - tree.total(b) || tree.func(b) - tree.func(a));
			kids.forEach((id, k) => todo.push({id, level: row.level + 1, place: kids.length - k, of: kids.length,
				open: false, more: false}));
		}
		this.list = list;
		this.rows.current = list.findIndex((r) => r.id === this.app.selectedNode());
		this.rows.setCount(list.length);
	}

	/**
	 * @param {HTMLElement} row
	 * @param {HTMLElement[]} cells
	 * @param {number} i
	 */
	fill(row, cells, i) {
		const {app} = this, tree = app.tree(), r = this.list[i], f = tree.func(r.id);
		const match = app.match();
		shareCell(cells[0], tree.total(r.id), app.whole());
		shareCell(cells[1], tree.self(r.id), app.whole());
		cells[2].textContent = count(tree.samples(r.id));
		const name = cells[3];
		if (name.childElementCount !== 2)
			name.replaceChildren(document.createElement('i'), document.createElement('span'));
		const [twisty, text] = /** @type {HTMLElement[]} */ ([...name.children]);
		twisty.className = 'twisty';
		twisty.textContent = r.more ? r.open ? '▾' : '▸' : '';
		twisty.style.marginLeft = Math.min(r.level - 1, 60) * 13 + 'px';
		text.textContent = f ? brief(app.page.name[f], 300) : 'all';
		text.className = match && !match[f] ? 'dim' : match ? 'hit' : '';
		row.style.setProperty('--chip', app.fill(f, app.kindOf(f, r.id)));
		row.setAttribute('aria-level', String(r.level));
		row.setAttribute('aria-posinset', String(r.place));
		row.setAttribute('aria-setsize', String(r.of));
		if (r.more)
			row.setAttribute('aria-expanded', String(r.open));
		else
			row.removeAttribute('aria-expanded');
	}

	/** @param {number} i */
	toggle(i) {
		const r = this.list[i];
		if (!r || !r.more)
			return;
		if (r.open)
			this.open.delete(this.keyOf(r.id));
		else
			this.unfold(r.id);
		this.fillList();
		this.rows.select(this.list.findIndex((x) => x.id === r.id), false);
	}

	/**
	 * @param {KeyboardEvent} event
	 * @param {number} i
	 */
	key(event, i) {
		const r = this.list[i], tree = this.app.tree();
		if (!r)
			return false;
		if (event.key === 'ArrowRight') {
			if (r.more && !r.open)
				this.toggle(i);
			else if (r.more)
				this.rows.select(i + 1, true);
		} else if (event.key === 'ArrowLeft') {
			if (r.open)
				this.toggle(i);
			else
				this.rows.select(this.list.findIndex((x) => x.id === tree.parent(r.id)), true);
		} else if (event.key === '*') {
			for (const x of this.list)
				if (x.more && tree.parent(x.id) === tree.parent(r.id))
					this.open.add(this.keyOf(x.id));
			this.fillList();
		} else {
			return false;
		}
		return true;
	}
}
