// frame.js: what stands around the views: what is selected, what the colours
// mean, the chosen function, and what is under the pointer.

import { laneWord } from './data.js';
import { amount, binText, brief, button, byId, count, counted, el, percent, shownValue, signed } from './dom.js';
import { fillsOf, ink, kindName } from './colour.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./hash.js').State} State */
/** @typedef {import('./flame.js').Flame} Flame */
/** @typedef {import('./flame.js').Rect} Rect */

/** @param {App} app */
export function renderChips(app) {
	const {state, page} = app, {head} = page, name = (/** @type {number} */ f) => brief(page.name[f], 60);
	/** @type {HTMLElement[]} */
	const chips = [];
	/** @type {(text: string, change: Partial<State>) => void} */
	const chip = (text, change) => {
		chips.push(el('span.chip', {}, text, button('×', 'take away', () => app.set(change), {'aria-label': 'take away: ' + text})));
	};
	if (state.range && head.time) {
		const {from, to} = state.range;
		chip(`${binText(head.time, from)} – ${binText(head.time, to)}`, {range: null});
	}
	const some = (/** @type {string[]} */ list) => list.length > 3 ? `${list.length} of them` : list.join(', ');
	if (state.cpus.length)
		chip('CPU ' + some(state.cpus.map((i) => String(head.cpus[i]))), {cpus: []});
	if (state.lanes.length)
		chip(laneWord(head) + ' ' + some(state.lanes.map((i) => (head.lanes[i].comm ?? 'others') +
			(head.diff || head.lane ? '' : ' ' + head.lanes[i].tid))), {lanes: []});
	/** @type {{[op: string]: string}} */
	const words = {f: 'only below', m: 'without frames of', c: 'collapsed', d: 'without samples in'};
	for (const s of state.steps)
		chip(s.fn ? `${words[s.op]} ${name(s.fn)}` : 'recursion folded', {steps: state.steps.filter((x) => x !== s), zoom: [], path: []});
	if (state.zoom.length)
		chip('zoomed to ' + name(state.zoom[state.zoom.length - 1]), {zoom: []});
	byId('chips').replaceChildren(...chips);
	const all = app.eventHead(), w = app.weights();
	byId('share').textContent = app.byChange() ? `the new ${laneWord(head)}s, ` + (app.nodes().vanished ?
		`and ${percent(app.nodes().vanished, w.total[0])} that vanished` : 'nothing vanished') : w.total[0] === all.total ? '' : `${percent(w.total[0], all.total)} of all: ` +
		`${amount(w.total[0], all.unit)}, ${counted(w.samples[0], 'sample')}`;
	const found = state.query ? app.matchedWeight() : null;
	app.found.textContent = found ? `${percent(found.weight, app.whole())} matched, ${counted(found.samples, 'sample')}` : '';
}

/** @param {App} app */
export function renderLegend(app) {
	const colours = app.colours(), {classes} = colours, change = app.state.colour === 'change';
	const whole = change ? app.whole() : app.eventHead().total;
	const key = [app.state.event, app.state.colour, ink().text, change && [app.selectionKey(), app.state.steps]];
	app.keep('legend', key, () => {
		const fills = fillsOf(colours);
		byId('legend').replaceChildren(...classes.map((c, i) => ({c, i})).filter(({c}) => c.total > 0).map(({c, i}) => {
			const swatch = el('i');
			swatch.style.background = (c.slope ? `repeating-linear-gradient(${c.slope > 0 ? 135 : 45}deg, #0005 0 1px, #0000 1px 4px) ` : '') + fills[i * 3];
			return el('span', {}, swatch, brief(c.label, 60), el('em', {}, percent(c.total, whole)));
		}));
		return true;
	});
}

/** @param {App} app */
export function renderStatus(app) {
	const {state, page} = app, f = state.fn, bar = byId('chosen');
	bar.hidden = state.view === 'facts';
	if (!f) {
		bar.replaceChildren(el('span.faint', {}, 'No function is chosen: click one, or walk with the arrows. ? shows all keys.'));
	} else {
		const by = app.functions(), whole = app.whole(), swatch = el('i.swatch');
		swatch.style.background = app.fill(f, state.path.length ? app.kindOf(f, app.selectedNode()) : undefined);
		const step = (/** @type {string} */ op, /** @type {string} */ text, /** @type {string} */ title) =>
			button(text, `${title} (${op})`, () => app.step(op));
		bar.replaceChildren(swatch, el('b', {}, brief(page.name[f], 160)), el('span.faint', {}, brief(page.dso[f], 80)),
			el('span', {}, `${percent(by.total[f], whole)} with callees, ${percent(by.self[f], whole)} itself`),
			el('span.group', {}, button('Callers, callees', 'the page of app function (5)', () => app.openFunction(f)),
				step('f', 'Focus', 'only what runs below it'), step('m', 'Merge', 'its frames into their callers'),
				step('c', 'Collapse', 'it with all below it'), step('d', 'Drop', 'all samples that have it')));
	}
	const {frames, blocks, merged, weight} = app.flame.drawn;
	byId('drawn').textContent = state.view !== 'flame' ? '' : `${counted(frames, 'frame')}` + (merged
		? `; ${count(merged)} narrower than a pixel are ${counted(blocks, 'grey block')}, ${percent(weight, app.whole())}` : '');
}

/**
 * @param {App} app
 * @param {Flame} flame
 * @param {Rect} rect
 */
export function tellRect(app, flame, rect) {
	const tree = /** @type {Tree} */ (flame.tree);
	if (rect.rest)
		app.tell(restText(app, tree, rect));
	else
		app.tell(`${brief(app.page.name[tree.func(rect.id)], 200)}, ${percent(rect.weight, app.whole())}`);
}

/**
 * @param {App} app
 * @param {Tree} tree
 * @param {Rect} rect
 */
export function restText(app, tree, rect) {
	return `${counted(rect.rest, tree.upward ? 'caller' : 'callee')} too narrow to draw, together ` + percent(rect.weight, app.whole());
}

/**
 * How a node of a comparison's tree changed.
 * @param {App} app
 * @param {number} id
 */
export function changeText(app, id) {
	const {at, unit} = app.nodes(), {was, now, delta, low, high} = at(id);
	return `old ${shownValue(was.value, unit)}, new ${shownValue(now.value, unit)}: ${signed(delta, unit)}` +
		(low <= high ? ` (${signed(low, unit)} to ${signed(high, unit)})` : `, one ${laneWord(app.page.head)} a side`);
}

/**
 * What is under the pointer.
 * @param {App} app
 * @param {Flame | null} flame
 * @param {Rect | null} rect
 * @param {number} x
 * @param {number} y
 */
export function showTip(app, flame, rect, x, y) {
	const tip = byId('tip');
	tip.hidden = !rect;
	if (!rect || !flame || !flame.tree)
		return;
	const {tree} = flame, f = tree.func(rect.id), {page} = app, {unit} = app.eventHead(), whole = app.whole();
	if (rect.rest) {
		tip.replaceChildren(el('b', {}, restText(app, tree, rect)),
			el('div.faint', {}, `below ${f ? brief(page.name[f], 100) : 'all'}; zoom into it to see them`));
	} else {
		const line = (/** @type {string} */ label, /** @type {number} */ weight, /** @type {number} */ samples) => [
			el('dt', {}, label), el('dd', {}, percent(weight, whole)), el('dd', {}, amount(weight, unit)),
			el('dd', {}, counted(samples, 'sample'))];
		const own = tree.upward ? 'without callers' : 'self', zoomed = tree.total(flame.zoom);
		tip.replaceChildren(el('b', {}, f ? brief(page.name[f], 400) : 'all'),
			el('div.faint', {}, [page.dso[f] && brief(page.dso[f], 200), f ? kindName(page.kind[f]) : ''].filter(Boolean).join(' · ')),
			el('dl', {}, ...line('total', tree.total(rect.id), tree.samples(rect.id)),
				...line(own, tree.self(rect.id), tree.selfSamples(rect.id))),
			flame === app.flame && page.head.diff && !tree.upward ? el('div', {}, changeText(app, rect.id)) : '',
			flame.zoom ? el('div.faint', {}, `${percent(tree.total(rect.id), zoomed)} of what is zoomed to`) : '');
	}
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + 'px';
	tip.style.top = (y + 20 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + 'px';
}
