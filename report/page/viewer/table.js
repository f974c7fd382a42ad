// table.js: functions with perf's columns, sorted and filtered as one types.

import { brief, count, percent } from './dom.js';
import { isFunction } from './tree.js';
import { Rows } from './rows.js';

/** @typedef {import('./app.js').App} App */

const COLUMNS = [
	{key: 'total', label: 'Children', title: 'share with everything that it calls'},
	{key: 'self', label: 'Self', title: 'share of its own'},
	{key: 'samples', label: 'Samples', title: 'its own samples'},
	{key: 'name', label: 'Symbol', title: 'the function', wide: true},
	{key: 'dso', label: 'Shared Object', title: 'the file that it is in', wide: true},
];

/**
 * A share as text with a bar behind it.
 * @param {HTMLElement} cell
 * @param {number} part
 * @param {number} whole
 */
export function shareCell(cell, part, whole) {
	cell.textContent = part > 0 ? percent(part, whole) : '';
	cell.classList.add('share');
	cell.style.setProperty('--share', (whole > 0 ? part * 100 / whole : 0).toFixed(2) + '%');
}

/**
 * The functions of the table in its order: those that are searched for.
 * @param {App} app
 * @param {string} key
 * @param {boolean} down
 * @returns {number[]}
 */
export function tableOrder(app, key, down) {
	const {page} = app, by = app.functions(), match = app.match();
	const list = [];
	for (let f = 1; f < page.functions; f++)
		if (by.total[f] > 0 && (isFunction(page, f) || by.self[f] > 0) && (!match || match[f]))
			list.push(f);
	const numbers = key === 'total' ? by.total : key === 'self' ? by.self : by.selfSamples;
	if (key === 'name' || key === 'dso')
		list.sort((a, b) => page[key][a] < page[key][b] ? -1 : page[key][a] > page[key][b] ? 1 : a - b);
	else
		list.sort((a, b) => numbers[a] - numbers[b] || by.total[a] - by.total[b] || b - a);
	return down ? list.reverse() : list;
}

export class TableView {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		/** @type {number[]} */
		this.list = [];
		this.rows = new Rows({label: 'functions', role: 'grid', columns: COLUMNS,
			fill: (row, cells, i) => this.fill(row, cells, i),
			onSelect: (i) => app.choose(this.list[i]),
			onOpen: (i) => app.openFunction(this.list[i]),
			onSort: (key) => this.sort(key)});
		this.rows.host.classList.add('functions');
		this.host = this.rows.host;
	}

	/** @param {string} key */
	sort(key) {
		const {sort} = this.app.state;
		const text = key === 'name' || key === 'dso';
		this.app.set({sort: sort.key === key ? {key, down: !sort.down} : {key, down: !text}});
	}

	render() {
		const {sort, fn} = this.app.state;
		this.list = tableOrder(this.app, sort.key, sort.down);
		this.rows.setSort(sort.key, sort.down);
		this.rows.current = fn ? this.list.indexOf(fn) : -1;
		this.rows.setCount(this.list.length);
	}

	/**
	 * @param {HTMLElement} row
	 * @param {HTMLElement[]} cells
	 * @param {number} i
	 */
	fill(row, cells, i) {
		const f = this.list[i], {page} = this.app, by = this.app.functions(), whole = this.app.whole();
		shareCell(cells[0], by.total[f], whole);
		shareCell(cells[1], by.self[f], whole);
		cells[2].textContent = count(by.selfSamples[f]);
		cells[3].textContent = brief(page.name[f], 300);
		cells[4].textContent = brief(page.dso[f], 300);
		row.style.setProperty('--chip', this.app.fill(f));
	}
}
