// colour.js: what colour a function has, and what the colours mean.
//
// The fills are Paul Tol's "light" scheme, which is made for text on it and for
// eyes that do not tell red from green.  For a dark page they are mixed with it.

import { KIND } from './data.js';

/** @typedef {import('./data.js').Page} Page */
/** slope: lines over it for eyes that see no colours: 1 they rise, -1 they fall. @typedef {{label: string, rgb: number[], total: number, slope?: number}} ColourClass */
/**
 * Of each function its class; fill[class * 3 + shade] for each of the three shades.
 * @typedef {{classes: ColourClass[], of: Uint8Array, shade: Uint8Array}} Colours
 */

const GREY = [0xc4, 0xc8, 0xcc];
const KERNEL = [0xee, 0x88, 0x66];
const HUES = [[0x77, 0xaa, 0xdd], [0x44, 0xbb, 0x99], [0xee, 0xdd, 0x88], [0xff, 0xaa, 0xbb],
	[0x99, 0xdd, 0xff], [0xbb, 0xcc, 0x33], [0xaa, 0xaa, 0x00]];

/** What a canvas needs besides the fills. */
export const INK = {
	light: {page: [255, 255, 255], text: '#16181d', faint: '#5c6370', line: '#d5d9e0', accent: '#0b5fcc',
		heat: [11, 79, 168], mark: [200, 80, 0], hatch: '#8a1c1c', throttle: '#6a3d9a', rest: '#e4e6ea'},
	dark: {page: [24, 26, 31], text: '#f0f2f5', faint: '#a2a9b5', line: '#3a3f49', accent: '#7ab5ff',
		heat: [140, 196, 255], mark: [255, 168, 76], hatch: '#ff9d9d', throttle: '#cdb4f5', rest: '#33373f'},
};

let printing = false;
const darkQuery = matchMedia('(prefers-color-scheme: dark)');

export function ink() {
	return darkQuery.matches && !printing ? INK.dark : INK.light;
}

/**
 * Calls back when the page turns dark or light, or is about to be printed.
 * @param {() => void} changed
 */
export function onThemeChange(changed) {
	darkQuery.addEventListener('change', changed);
	for (const [event, now] of /** @type {[string, boolean][]} */ ([['beforeprint', true], ['afterprint', false]]))
		window.addEventListener(event, () => {
			printing = now;
			changed();
		});
}

/**
 * Between two colours, as text; share 0 is the first.
 * @param {number[]} a
 * @param {number[]} b
 * @param {number} share
 */
export function mixed(a, b, share) {
	return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * share)).join()})`;
}

/**
 * The last part of a path.
 * @param {string} path
 */
export function baseName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}

const KIND_NAMES = ['user code', 'kernel', 'generated code', 'inlined', 'guest or hypervisor', 'a task',
	'what was left out', 'code without a name'];

/** By number of CHANGE. */
const CHANGES = /** @type {[string, number[], number][]} */ ([['no more than chance', GREY, 0], ['+ more', [0xee, 0x88, 0x44], 1],
	['− less', [0x66, 0x99, 0xdd], -1], ['+ only new', [0xf5, 0xc0, 0x77], 1], ['− gone', [0xa9, 0xd4, 0xf5], -1],
	['+ more, one run a side', [0xf2, 0xc9, 0xa8], 0], ['− less, one run a side', [0xb9, 0xcf, 0xea], 0]]);

/** @param {number} kind */
export function kindName(kind) {
	return KIND_NAMES[kind] || '';
}

const KINDS = /** @type {[number, string, number[]][]} */ ([
	[KIND.user, 'user code', HUES[0]], [KIND.kernel, 'kernel', KERNEL], [KIND.jit, 'generated (JIT)', HUES[1]],
	[KIND.inlined, 'inlined', HUES[4]], [KIND.guest, 'guest, hypervisor', HUES[3]],
	[KIND.nameless, 'without a name', HUES[2]], [KIND.task, 'tasks, the rest', GREY]]);

/**
 * The classes by what they weigh in the whole event, so that colours stay when
 * the selection changes.
 * @param {Page} page
 * @param {string} mode dso or kind
 * @param {Float64Array} own the period of each function itself
 * @param {() => Uint8Array} changes for the mode change: a number of CHANGES each
 * @returns {Colours}
 */
export function colourFunctions(page, mode, own, changes) {
	const of = new Uint8Array(page.functions), shade = new Uint8Array(page.functions);
	/** @type {ColourClass[]} */
	let classes;
	if (mode === 'kind') {
		classes = KINDS.map(([, label, rgb]) => ({label, rgb, total: 0}));
		for (let f = 0; f < page.functions; f++)
			of[f] = Math.max(KINDS.findIndex(([k]) => k === page.kind[f]), 0);
		for (let f = 0; f < page.functions; f++)
			if (page.kind[f] === KIND.rest)
				of[f] = KINDS.length - 1;
	} else if (mode === 'change') {
		classes = CHANGES.map(([label, rgb, slope]) => ({label, rgb, slope, total: 0}));
		of.set(changes());
	} else {
		classes = colourFiles(page, own, of);
	}
	for (let f = 0; f < page.functions; f++) {
		classes[of[f]].total += own[f];
		let hash = 0;
		for (let i = Math.min(page.name[f].length, 64) - 1; i >= 0; i--)
			hash = hash * 31 + page.name[f].charCodeAt(i) | 0;
		shade[f] = (hash >>> 3) % 3;
	}
	return {classes, of, shade};
}

/**
 * @param {Page} page
 * @param {Float64Array} own
 * @param {Uint8Array} of
 * @returns {ColourClass[]}
 */
function colourFiles(page, own, of) {
	/** @type {Map<string, number>} */
	const weight = new Map();
	for (let f = 1; f < page.functions; f++)
		if (page.kind[f] !== KIND.kernel && page.dso[f] && page.dso[f] !== '[unknown]')
			weight.set(page.dso[f], (weight.get(page.dso[f]) || 0) + own[f]);
	const files = [...weight.keys()].sort((a, b) => (weight.get(b) || 0) - (weight.get(a) || 0));
	const classes = [{label: 'kernel', rgb: KERNEL, total: 0}];
	const number = new Map();
	for (const file of files.slice(0, HUES.length)) {
		number.set(file, classes.length);
		classes.push({label: baseName(file), rgb: HUES[classes.length - 1], total: 0});
	}
	if (files.length > HUES.length)
		classes.push({label: `${files.length - HUES.length} other files`, rgb: [0xb9, 0xb0, 0xd8], total: 0});
	classes.push({label: 'tasks, unknown', rgb: GREY, total: 0});
	const none = classes.length - 1, other = files.length > HUES.length ? none - 1 : none;
	for (let f = 0; f < page.functions; f++)
		of[f] = page.kind[f] === KIND.kernel ? 0
			: number.get(page.dso[f]) ?? (weight.has(page.dso[f]) ? other : none);
	return classes;
}

/**
 * The fills as texts for the page as it is now.
 * @param {Colours} colours
 * @returns {string[]}
 */
export function fillsOf(colours) {
	const now = ink(), dark = now === INK.dark;
	return colours.classes.flatMap(({rgb}) => [0, 1, 2].map((s) =>
		dark ? mixed(rgb, [22, 24, 30], 0.52 + s * 0.05) : mixed(rgb, now.page, 0.06 + s * 0.11)));
}
