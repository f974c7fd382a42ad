// dom.js: elements, and numbers as texts.  Whatever comes out of a recording
// becomes text nodes, never markup.

/**
 * @param {string} tag `tag.class.class`
 * @param {{[name: string]: any}} [props] on...: a listener; others are attributes
 * @param {...(Node | string | null)} children
 * @returns {HTMLElement}
 */
export function el(tag, props = {}, ...children) {
	const [name, ...classes] = tag.split('.');
	const e = document.createElement(name);
	e.className = classes.join(' ');
	for (const [key, value] of Object.entries(props))
		if (key.startsWith('on'))
			e.addEventListener(key.slice(2), value);
		else if (value !== null && value !== false)
			e.setAttribute(key, value === true ? '' : String(value));
	for (const child of children)
		if (child !== null)
			e.append(child);
	return e;
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
	return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * A button; the key that does the same stands in its title.
 * @param {string} text
 * @param {string} title
 * @param {() => void} onclick
 * @param {{[name: string]: any}} [props]
 */
export function button(text, title, onclick, props = {}) {
	return el('button', {type: 'button', title, onclick, ...props}, text);
}

/**
 * A long text cut, with its length said.
 * @param {string} text
 * @param {number} most
 */
export function brief(text, most) {
	return text.length <= most ? text
		: text.slice(0, most) + `… (${text.length.toLocaleString('en')} characters)`;
}

/** @param {number} n */
export function count(n) {
	return Math.round(n).toLocaleString('en');
}

/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export function counted(n, one, many = one + 's') {
	return count(n) + ' ' + (n === 1 ? one : many);
}

/**
 * A share as perf prints it, but never a 0 for what is there.
 * @param {number} part
 * @param {number} whole
 */
export function percent(part, whole) {
	if (!(whole > 0))
		return part > 0 ? '–' : '0.00 %';
	const p = part * 100 / whole;
	return part > 0 && p < 0.005 ? '< 0.01 %' : p.toFixed(2) + ' %';
}

/**
 * A sum of periods with its unit.
 * @param {number} value
 * @param {string} unit
 */
export function amount(value, unit) {
	if (unit === 'ns')
		return seconds(value / 1e9);
	for (const [size, letter] of /** @type {[number, string][]} */ ([[1e12, ' T'], [1e9, ' G'], [1e6, ' M']]))
		if (value >= size)
			return (value / size).toPrecision(4) + letter;
	return count(value);
}

/**
 * A value of a comparison: a share of 100, or a sum of periods.
 * @param {number} value
 * @param {string} unit '%', or as for amount()
 */
export function shownValue(value, unit) {
	return unit === '%' ? value.toFixed(2) + ' %' : (value < 0 ? '−' : '') + amount(Math.abs(value), unit);
}

/**
 * @param {number} value
 * @param {string} unit
 */
export function signed(value, unit) {
	return (value < 0 ? '−' : '+') + shownValue(Math.abs(value), unit);
}

/** @param {number} s */
export function seconds(s) {
	const a = Math.abs(s);
	return a >= 100 ? s.toFixed(1) + ' s' : a >= 1 ? s.toFixed(2) + ' s'
		: a >= 1e-3 ? (s * 1e3).toPrecision(3) + ' ms'
		: a >= 1e-6 ? (s * 1e6).toPrecision(3) + ' µs' : a > 0 ? (s * 1e9).toPrecision(3) + ' ns' : '0 s';
}

/**
 * Steps of 1, 2 or 5 for an axis of so many values with room for so many marks.
 * @param {number} span
 * @param {number} most
 */
export function niceStep(span, most) {
	const raw = span / Math.max(1, most);
	const ten = 10 ** Math.floor(Math.log10(raw));
	return ten * (raw <= ten ? 1 : raw <= 2 * ten ? 2 : raw <= 5 * ten ? 5 : 10);
}

/**
 * The same of seconds of a clock on the wall.
 * @param {number} span
 * @param {number} most
 */
export function clockStep(span, most) {
	const raw = span / Math.max(1, most), day = 86400;
	return [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 43200].find((s) => s >= raw) || day * Math.ceil(raw / day);
}

/**
 * A canvas made as large as its box; the context draws in CSS pixels.  It is drawn
 * by the page's own process: a few thousand rectangles are not worth the GPU's.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function context2d(canvas, width, height) {
	const dpr = window.devicePixelRatio || 1;
	const w = Math.max(1, Math.round(width * dpr)), h = Math.max(1, Math.round(height * dpr));
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
	}
	const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', {willReadFrequently: true}));
	g.setTransform(dpr, 0, 0, dpr, 0, 0);
	g.clearRect(0, 0, width, height);
	return g;
}

/**
 * How much a bin is in what an axis shows: seconds, or per cent of each run.
 * @param {{bins: number, bin_ns: number}} time
 */
export function binUnit(time) {
	return time.bin_ns ? time.bin_ns / 1e9 : 100 / time.bins;
}

/**
 * A time of day and its date.
 * @param {{first_ns: number}} time
 * @param {number} s seconds behind the first bin
 */
export function utcText(time, s) {
	return new Date(time.first_ns / 1e6 + s * 1000).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * Where a bin begins, as text.
 * @param {import('./data.js').TimeHead} time
 * @param {number} bin
 */
export function binText(time, bin) {
	const at = bin * binUnit(time);
	return time.utc ? utcText(time, at) : time.bin_ns ? seconds(at) : at.toFixed(1) + ' %';
}

let scrollbar = -1;

/** How wide the browser's scroll bars are: 0 where they lie over the text. */
export function scrollbarWidth() {
	if (scrollbar < 0) {
		const probe = document.body.appendChild(el('div.probe'));
		scrollbar = probe.offsetWidth - probe.clientWidth;
		probe.remove();
	}
	return scrollbar;
}
