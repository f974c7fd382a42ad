// save.js: what is selected, as files of other programs.

import { el } from './dom.js';
import { fillsOf } from './colour.js';
import { restText } from './frame.js';

/** @typedef {import('./app.js').App} App */

/**
 * @param {string} name
 * @param {Blob} blob
 */
function download(name, blob) {
	const link = /** @type {HTMLAnchorElement} */ (el('a', {href: URL.createObjectURL(blob), download: name}));
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * A line for each stack: functions from the outermost caller, then samples.
 * @param {App} app
 */
export function foldedStacks(app) {
	const {shape} = app.shape(), {selfSamples} = app.weights(), {name} = app.page;
	const path = new Array(shape.n), lines = [];
	path[0] = '';
	for (let i = 1; i < shape.n; i++) {
		const up = path[shape.parent[i]];
		path[i] = (up && up + ';') + name[shape.func[i]].replaceAll(';', ':');
		if (selfSamples[i])
			lines.push(`${path[i]} ${selfSamples[i]}`);
	}
	return lines.join('\n') + '\n';
}

/**
 * The flame graph as it is drawn now.
 * @param {App} app
 */
export function flameSvg(app) {
	const {flame} = app, tree = app.tree(), fills = fillsOf(app.colours()), colours = app.colours();
	const space = 'http://www.w3.org/2000/svg';
	const svg = document.createElementNS(space, 'svg');
	/** @type {(up: Element, tag: string, attributes: {[name: string]: any}, text?: string) => Element} */
	const add = (up, tag, attributes, text) => {
		const e = up.appendChild(document.createElementNS(space, tag));
		for (const [key, value] of Object.entries(attributes))
			e.setAttribute(key, String(value));
		if (text)
			e.textContent = text;
		return e;
	};
	const height = flame.levels.length * 19;
	svg.setAttribute('viewBox', `0 0 ${flame.width()} ${height}`);
	svg.setAttribute('font-family', 'sans-serif');
	svg.setAttribute('font-size', '12');
	const g = /** @type {CanvasRenderingContext2D} */ (flame.canvas.getContext('2d'));
	for (const level of flame.levels)
		for (const r of level) {
			const f = tree.func(r.id), y = flame.rising ? height - (r.level + 1) * 19 : r.level * 19;
			const name = r.rest ? restText(app, tree, r) : f ? app.page.name[f] : 'all';
			const fill = r.rest ? '#ddd' : f ? fills[flame.hooks.kind(f, r.id) * 3 + colours.shade[f]] : '#ccc';
			const x = Math.max(0, r.x), w = Math.min(flame.width(), r.x + r.w) - x;
			add(add(svg, 'rect', {x: x.toFixed(1), y, width: Math.max(0.3, w - 0.6).toFixed(1), height: 18, fill}), 'title', {},
				`${name}: ${(r.weight * 100 / app.whole()).toFixed(3)} %`);
			const text = w > 24 && !r.rest ? flame.fit(g, name, w - 8) : '';
			if (text)
				add(svg, 'text', {x: (x + 4).toFixed(1), y: y + 13}, text);
		}
	return new XMLSerializer().serializeToString(svg);
}

/**
 * @param {App} app
 * @returns {HTMLDialogElement}
 */
export function saveDialog(app) {
	/** @type {(text: string, note: string, run: () => void) => HTMLElement} */
	const choice = (text, note, run) => el('p', {}, el('button', {type: 'button', onclick: run}, text), ' ', note);
	const dialog = /** @type {HTMLDialogElement} */ (el('dialog', {'aria-label': 'save'}, el('h2', {}, 'Save what is selected'),
		choice('Folded stacks', 'text: for flame graphs and speedscope', () =>
			download('profile.folded', new Blob([foldedStacks(app)], {type: 'text/plain'}))),
		choice('SVG', 'the flame graph as it is drawn', () =>
			download('flame.svg', new Blob([flameSvg(app)], {type: 'image/svg+xml'}))),
		choice('PNG', 'what of it is in sight', () =>
			app.flame.canvas.toBlob((blob) => blob && download('flame.png', blob))),
		el('form', {method: 'dialog'}, el('button', {autofocus: true}, 'Close'))));
	return dialog;
}
