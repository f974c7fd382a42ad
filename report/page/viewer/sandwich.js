// sandwich.js: one function: who calls it, what it calls, and when it ran.

import { amount, brief, button, counted, el, percent } from './dom.js';
import { Flame } from './flame.js';
import { mergedTree } from './tree.js';
import { kindName } from './colour.js';
import { showTip, tellRect } from './frame.js';
import { Listing } from './listing.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Tree} Tree */

export class FunctionView {
	/** @param {App} app */
	constructor(app) {
		this.app = app;
		this.title = el('h2');
		this.said = el('p.faint');
		this.listing = new Listing(app);
		this.why = el('p.faint');
		this.turn = button('Source and instructions', 'or callers and callees (v)', () => app.turnFunction());
		this.callers = this.flame('callers of the function', true);
		this.callees = this.flame('what the function calls', false);
		this.lists = [el('ol.near', {'aria-label': 'callers'}), el('ol.near', {'aria-label': 'callees'})];
		this.host = el('div.function', {}, el('div.about', {}, this.title, this.said, el('p', {}, this.turn, ' ', this.listing.said), this.why),
			this.listing.host, el('div.half', {}, el('section.side', {}, el('h3', {}, 'Callers'), this.lists[0]), this.callers.host),
			el('div.half', {}, el('section.side', {}, el('h3', {}, 'Callees'), this.lists[1]), this.callees.host));
	}

	/**
	 * @param {string} label
	 * @param {boolean} rising
	 */
	flame(label, rising) {
		const {app} = this;
		/** @type {Flame} */
		const flame = new Flame({label, name: (f) => app.page.name[f], colours: () => app.colours(), kind: (f) => app.colours().of[f],
			match: () => app.match(), byName: () => app.state.order === 'name',
			onSelect: (rect) => tellRect(app, flame, rect),
			onZoom: (id) => flame.tree && app.openFunction(flame.tree.func(id)),
			onHover: (rect, x, y) => showTip(app, flame, rect, x, y)});
		flame.rising = rising;
		flame.host.addEventListener('keydown', (e) => {
			if (e.ctrlKey || e.altKey || e.metaKey || !flame.tree)
				return;
			const rect = e.key.startsWith('Arrow') ? flame.neighbour(e.key) : null;
			if (rect) {
				flame.select(rect);
				flame.reveal(rect.id);
			} else if (e.key === 'Enter') {
				app.openFunction(flame.tree.func(flame.selected));
			} else {
				return;
			}
			e.preventDefault();
			e.stopPropagation();
		});
		return flame;
	}

	render() {
		const {app} = this, {page} = app, f = app.state.fn, whole = app.whole(), by = app.functions();
		const coded = page.code.of.has(f), shown = coded && app.state.code;
		this.turn.hidden = !coded;
		this.listing.said.hidden = !shown;
		this.turn.setAttribute('aria-pressed', String(shown));
		this.host.classList.toggle('coded', shown);
		this.why.textContent = '';
		if (!f) {
			this.title.textContent = 'No function is chosen';
			this.said.textContent = 'Choose one in the flame graph, the table or the call tree.';
			this.host.classList.add('none');
			return;
		}
		this.host.classList.remove('none');
		const {unit} = app.eventHead();
		this.title.textContent = brief(page.name[f], 500);
		this.said.textContent = [kindName(page.kind[f]), page.dso[f],
			`${percent(by.total[f], whole)} with what it calls (${amount(by.total[f], unit)}, ${counted(by.samples[f], 'sample')})`,
			`${percent(by.self[f], whole)} itself (${amount(by.self[f], unit)}, ${counted(by.selfSamples[f], 'sample')})`,
		].filter(Boolean).join(' · ');
		if (shown) {
			this.listing.render(f);
			return;
		}
		const why = coded ? '' : this.listing.why(f);
		this.why.textContent = why && 'No instructions here: ' + why;
		const {shape} = app.shape(), w = app.weights(), outer = app.outer();
		const start = [];
		for (let i = 1; i < shape.n; i++)
			if (shape.func[i] === f && outer[i] && w.total[i] > 0)
				start.push(i);
		const up = mergedTree(shape, w, true, false, start, f), down = mergedTree(shape, w, false, false, start, f);
		this.callers.show(up, 0, 0);
		this.callees.show(down, 0, 0);
		this.callers.host.scrollTop = this.callers.host.scrollHeight;
		this.near(this.lists[0], up, 'called by nothing', up.self(0));
		this.near(this.lists[1], down, 'the function itself', down.self(0));
	}

	hottest() {
		if (this.app.state.code)
			this.listing.hottest();
		else
			this.app.turnFunction();
	}

	/**
	 * The functions next to it, most first.
	 * @param {HTMLElement} list
	 * @param {Tree} tree
	 * @param {string} ownText
	 * @param {number} own
	 */
	near(list, tree, ownText, own) {
		const {app} = this, whole = tree.total(0);
		const {kids} = tree.below(0, 0);
		kids.sort((a, b) => tree.total(b) - tree.total(a));
		const line = (/** @type {number} */ weight, /** @type {HTMLElement} */ what) => {
			const share = el('span.share', {}, percent(weight, whole));
			share.style.setProperty('--share', (weight * 100 / whole).toFixed(2) + '%');
			return el('li', {}, share, what);
		};
		const items = kids.slice(0, 100).map((id) => ({weight: tree.total(id), what: button(
			brief(app.page.name[tree.func(id)], 200), 'look at this function', () => app.openFunction(tree.func(id)))}));
		if (own > 0)
			items.push({weight: own, what: el('em', {}, ownText)});
		items.sort((a, b) => b.weight - a.weight);
		list.replaceChildren(...items.map((i) => line(i.weight, i.what)));
		if (kids.length > 100)
			list.append(el('li.faint', {}, `${kids.length - 100} more`));
	}
}
