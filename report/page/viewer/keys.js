// keys.js: what each key does, and the help that is made of the same table.

import { el } from './dom.js';

/** @typedef {import('./app.js').App} App */
/** key: as the browser names it; in: views where it holds, all without. */
/** @typedef {{keys: string[], shown: string, text: string, run: (app: App, key: string) => void, in?: string[]}} KeyEntry */

/** @type {KeyEntry[]} */
export const KEYS = [
	{keys: ['1', '2', '3', '4', '5', '6', '7'], shown: '1 … 7', text: 'flame graph, table, timeline, call tree, function, facts, changes',
		run: (app, key) => app.view(Number(key) - 1)},
	{keys: ['/'], shown: '/', text: 'search by regular expression', run: (app) => app.focusSearch()},
	{keys: ['n', 'N'], shown: 'n N', text: 'next, previous match', run: (app, key) => app.nextMatch(key === 'n' ? 1 : -1)},
	{keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'], shown: '↑ ↓ ← →', text: 'to the frame beside',
		in: ['flame'], run: (app, key) => app.walk(key)},
	{keys: ['Enter'], shown: 'Enter', text: 'zoom into the frame; in a table: open the row', in: ['flame'],
		run: (app) => app.zoomTo(app.selectedNode())},
	{keys: ['Escape'], shown: 'Esc', text: 'out: of the zoom, the search, the choice', run: (app) => app.out()},
	{keys: ['f'], shown: 'f', text: 'focus: only what runs below this function', run: (app) => app.step('f')},
	{keys: ['m'], shown: 'm', text: 'merge this function into its callers', run: (app) => app.step('m')},
	{keys: ['c'], shown: 'c', text: 'collapse: this function with all below it', run: (app) => app.step('c')},
	{keys: ['d'], shown: 'd', text: 'drop all samples that have this function', run: (app) => app.step('d')},
	{keys: ['r'], shown: 'r', text: 'fold recursion, or unfold it', run: (app) => app.foldRecursion()},
	{keys: ['Backspace'], shown: 'Backspace', text: 'take back the last of these steps', run: (app) => app.takeBack()},
	{keys: ['i'], shown: 'i', text: 'invert: from the leaves on', run: (app) => app.invert()},
	{keys: ['u'], shown: 'u', text: 'callers at the bottom, or at the top', run: (app) => app.turn()},
	{keys: ['o'], shown: 'o', text: 'order by weight, or by name', run: (app) => app.reorder()},
	{keys: ['k'], shown: 'k', text: 'colours by file, by kind, of a comparison by change', run: (app) => app.recolour()},
	{keys: ['v'], shown: 'v', text: 'callers and callees, or source and instructions', in: ['function'], run: (app) => app.turnFunction()},
	{keys: ['h'], shown: 'h', text: 'hottest instruction, then the next', in: ['function'], run: (app) => app.functionView.hottest()},
	{keys: ['w', 's'], shown: 'w s', text: 'wider, narrower (Ctrl and the wheel, too)', in: ['flame'],
		run: (app, key) => app.flame.scale(key === 'w' ? 0.7 : 1 / 0.7)},
	{keys: ['a', 'e'], shown: 'a e', text: 'to the left, to the right (Shift and the wheel, too)', in: ['flame'],
		run: (app, key) => app.flame.pan(key === 'a' ? -0.2 : 0.2)},
	{keys: ['[', ']'], shown: '[ ]', text: 'move the time range', run: (app, key) => app.moveRange(key === '[' ? -1 : 1)},
	{keys: ['{', '}'], shown: '{ }', text: 'halve, double the time range; without one: begin one',
		run: (app, key) => app.scaleRange(key === '{' ? 0.5 : 2)},
	{keys: ['y'], shown: 'y', text: 'copy the stack of the frame', run: (app) => app.copy()},
	{keys: ['?'], shown: '?', text: 'this help', run: (app) => app.help()},
];

/**
 * @param {App} app
 */
export function listenToKeys(app) {
	document.addEventListener('keydown', (event) => {
		const target = /** @type {HTMLElement} */ (event.target);
		if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]'))
			return;
		if (target.matches('input, select, textarea')) {
			if (event.key === 'Escape' || event.key === 'Enter' && target.matches('input'))
				app.focusView();
			return;
		}
		if (event.key === 'Enter' && target.matches('button, a, summary'))
			return;
		if (event.key.startsWith('Arrow') && target.getAttribute('role') === 'tab') {
			app.stepTab(event.key === 'ArrowLeft' || event.key === 'ArrowUp' ? -1 : 1);
			event.preventDefault();
			return;
		}
		const entry = KEYS.find((k) => k.keys.includes(event.key) && (!k.in || k.in.includes(app.state.view)));
		if (!entry)
			return;
		event.preventDefault();
		entry.run(app, event.key);
	});
}

/** @returns {HTMLDialogElement} */
export function helpDialog() {
	const dialog = /** @type {HTMLDialogElement} */ (el('dialog', {'aria-label': 'keys'}, el('h2', {}, 'Keys'),
		el('dl.keys', {}, ...KEYS.flatMap((k) => [el('dt', {}, ...k.shown.split(' ').map((t) =>
			t === '…' ? t : el('kbd', {}, t))), el('dd', {}, k.text)])),
		el('p.faint', {}, 'Drag over the time above for a range; a double click there takes it away. ' +
			'Click chooses a frame, a double click zooms.'),
		el('form', {method: 'dialog'}, el('button', {autofocus: true}, 'Close'))));
	return dialog;
}
