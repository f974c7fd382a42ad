// main.js: what one looks at, and what follows from it for every view.

import { readPage } from './data.js';
import { addUp, byFunction, outermost, selectWeights } from './select.js';
import { invertedTree, isFunction, moved, nodeOf, pathOf, plainTree, reshape } from './tree.js';
import { amount, brief, button, byId, count, counted, el, percent, seconds } from './dom.js';
import { colourFunctions, fillsOf, ink, mixed, onThemeChange } from './colour.js';
import { Flame } from './flame.js';
import { TableView, tableOrder } from './table.js';
import { CallTreeView } from './calltree.js';
import { FunctionView, kindName } from './sandwich.js';
import { FactsView, notesOf } from './facts.js';
import { HeatMap, Strip, TimeRows } from './timeline.js';
import { FunctionNames, readHash, VIEWS, writeHash } from './hash.js';
import { helpDialog, listenToKeys } from './keys.js';
import { saveDialog } from './save.js';

/** @typedef {import('./data.js').Page} Page */
/** @typedef {import('./data.js').Shape} Shape */
/** @typedef {import('./select.js').Selection} Selection */
/** @typedef {import('./select.js').Weights} Weights */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./hash.js').State} State */
/** @typedef {import('./flame.js').Rect} Rect */
/** @typedef {{host: HTMLElement, render: () => void}} View */

const LABELS = ['Flame graph', 'Table', 'Timeline', 'Call tree', 'Function', 'Facts'];

export class App {
	/** @param {Page} page */
	constructor(page) {
		this.page = page;
		this.names = new FunctionNames(page);
		const {state, unknown} = readHash(this.names, location.hash);
		this.state = state;
		/** @type {Map<string, {key: string, value: any}>} */
		this.kept = new Map();
		this.waiting = 0;
		this.events = /** @type {HTMLSelectElement} */ (el('select', {'aria-label': 'event'}));
		this.search = /** @type {HTMLInputElement} */ (el('input', {type: 'search', placeholder: 'search (/)',
			'aria-label': 'search by regular expression', spellcheck: 'false', autocomplete: 'off'}));
		this.found = el('output.faint');
		/** @type {HTMLElement[]} */
		this.toggles = [];
		this.flame = this.makeFlame();
		const hooks = this.timeHooks();
		this.strip = page.head.time ? new Strip(hooks) : null;
		this.rows = new TimeRows(hooks);
		this.heatMap = page.head.time ? new HeatMap(hooks) : null;
		/** @type {View[]} */
		this.views = [{host: this.flame.host, render: () => this.renderFlame()}, new TableView(this),
			this.timeView(), new CallTreeView(this), new FunctionView(this), new FactsView(this)];
		this.fillPage();
		this.say(unknown);
		listenToKeys(this);
		onThemeChange(() => this.renderNow());
		window.addEventListener('hashchange', () => this.readAddress());
		window.addEventListener('popstate', () => this.readAddress());
	}

	// What follows from the state; each is computed once for what it depends on.

	/**
	 * @template T
	 * @param {string} name
	 * @param {any[]} on
	 * @param {() => T} make
	 * @returns {T}
	 */
	keep(name, on, make) {
		const key = JSON.stringify(on), kept = this.kept.get(name);
		if (kept && kept.key === key)
			return kept.value;
		const value = make();
		this.kept.set(name, {key, value});
		return value;
	}

	event() {
		return this.page.events[this.state.event];
	}

	eventHead() {
		return this.page.head.events[this.state.event];
	}

	selectionKey() {
		const {event, range, cpus, lanes} = this.state;
		return [event, range, cpus, lanes];
	}

	/** @returns {Selection} */
	selection() {
		const {range, cpus, lanes} = this.state, {head} = this.page;
		return this.keep('selection', this.selectionKey(), () => ({from: range ? range.from : 0,
			to: range ? range.to : Infinity, cpus: maskOf(cpus, head.cpus.length), lanes: maskOf(lanes, head.lanes.length)}));
	}

	/** The tree's shape after the steps. @returns {{shape: Shape, to: Int32Array | null}} */
	shape() {
		const {event, steps} = this.state;
		return this.keep('shape', [event, steps], () => steps.length ? reshape(this.page, this.event(), steps)
			: {shape: this.event(), to: null});
	}

	/** @returns {Weights} */
	weights() {
		return this.keep('weights', [this.selectionKey(), this.state.steps], () => {
			const plain = this.keep('plain', this.selectionKey(), () => selectWeights(this.event(), this.selection()));
			const {shape, to} = this.shape();
			if (!to)
				return plain;
			const {self, selfSamples} = moved(plain, to, shape.n);
			return addUp(shape, self, selfSamples);
		});
	}

	outer() {
		return this.keep('outer', [this.state.event, this.state.steps], () => outermost(this.shape().shape, this.page.functions));
	}

	functions() {
		return this.keep('functions', [this.selectionKey(), this.state.steps],
			() => byFunction(this.shape().shape, this.weights(), this.outer(), this.page.functions));
	}

	/** @returns {Tree} */
	tree() {
		return this.keep('tree', [this.selectionKey(), this.state.steps, this.state.invert], () => {
			const {shape} = this.shape(), w = this.weights();
			return this.state.invert ? invertedTree(shape, w) : plainTree(shape, w);
		});
	}

	/** The period of all that is selected and not dropped. */
	whole() {
		return this.weights().total[0];
	}

	zoomNode() {
		return this.keep('zoom', [this.selectionKey(), this.state.steps, this.state.invert, this.state.zoom],
			() => nodeOf(this.tree(), this.state.zoom).id);
	}

	selectedNode() {
		return this.keep('node', [this.selectionKey(), this.state.steps, this.state.invert, this.state.path],
			() => nodeOf(this.tree(), this.state.path).id);
	}

	/** @returns {Uint8Array | null} 1 for each function that is searched for */
	match() {
		return this.keep('match', [this.state.query], () => {
			const {query} = this.state, {page} = this;
			if (!query)
				return null;
			const test = patternOf(query);
			const out = new Uint8Array(page.functions);
			for (let f = 1; f < page.functions; f++)
				if (test(page.name[f]) || test(page.dso[f]))
					out[f] = 1;
			return out;
		});
	}

	/** Nodes of the shape with a searched function at or above them. */
	matchedNodes() {
		const match = this.match();
		return this.keep('matched', [this.state.event, this.state.steps, this.state.query], () => {
			const {shape} = this.shape(), mask = new Uint8Array(shape.n);
			if (match)
				for (let i = 1; i < shape.n; i++)
					mask[i] = mask[shape.parent[i]] | match[shape.func[i]];
			return mask;
		});
	}

	/** What all stacks with a searched function weigh, each counted once. */
	matchedWeight() {
		return this.keep('found', [this.selectionKey(), this.state.steps, this.state.query], () => {
			const mask = this.matchedNodes(), {self, selfSamples} = this.weights();
			let weight = 0, samples = 0;
			for (let i = 1; i < mask.length; i++)
				if (mask[i]) {
					weight += self[i];
					samples += selfSamples[i];
				}
			return {weight, samples};
		});
	}

	/** The nodes of the event that the timelines lift out, null for all. @returns {Uint8Array | null} */
	marked() {
		const {query, fn, zoom, event, steps, invert} = this.state;
		if (!query && !fn && !zoom.length && !steps.length)
			return null;
		return this.keep('marked', [event, steps, query, fn, query || fn ? 0 : [zoom, invert, this.selectionKey()]], () => {
			const {shape, to} = this.shape();
			/** @type {Uint8Array} */
			let mask;
			if (query) {
				mask = this.matchedNodes();
			} else {
				mask = new Uint8Array(shape.n);
				if (fn)
					for (let i = 1; i < shape.n; i++)
						mask[i] = shape.func[i] === fn ? 1 : mask[shape.parent[i]];
				else if (zoom.length)
					this.tree().mark(this.zoomNode(), mask);
				else
					mask.fill(1);
			}
			return to ? Uint8Array.from(to, (i) => i < 0 ? 0 : mask[i]) : mask;
		});
	}

	colours() {
		return this.keep('colours', [this.state.event, this.state.colour], () => {
			const tree = this.event(), own = new Float64Array(this.page.functions);
			for (let i = 0; i < tree.n; i++)
				for (let e = tree.offset[i]; e < tree.offset[i + 1]; e++)
					own[tree.func[i]] += tree.period[e];
			return colourFunctions(this.page, this.state.colour, own);
		});
	}

	/** @param {number} f */
	fill(f) {
		const colours = this.colours();
		const fills = this.keep('fills', [this.state.event, this.state.colour, ink().text], () => fillsOf(colours));
		return f ? fills[colours.of[f] * 3 + colours.shade[f]] : 'transparent';
	}

	// Changes.

	/**
	 * Changes the state and with it the page and its address; done: this is a step
	 * that the browser's Back goes back to.
	 * @param {Partial<State>} change
	 * @param {boolean} [done]
	 */
	set(change, done = true) {
		Object.assign(this.state, change);
		this.write(done);
		if (!this.waiting)
			this.waiting = requestAnimationFrame(() => this.renderNow());
	}

	/** @param {boolean} done */
	write(done) {
		const hash = writeHash(this.names, this.state);
		if (hash === location.hash)
			return;
		if (done)
			history.pushState(null, '', hash);
		else
			history.replaceState(null, '', hash);
	}

	readAddress() {
		const {state, unknown} = readHash(this.names, location.hash);
		this.state = state;
		this.say(unknown);
		this.renderNow();
	}

	/** @param {string[]} unknown */
	say(unknown) {
		byId('unknown').textContent = unknown.length ?
			`This recording does not have what the link asks for: ${brief(unknown.join(', '), 300)}.` : '';
	}

	/** @param {string} text for who cannot see the canvas */
	tell(text) {
		byId('live').textContent = text;
	}

	/** @param {number} i */
	view(i) {
		this.set({view: VIEWS[i]});
		this.focusView();
	}

	/** @param {number} by */
	stepTab(by) {
		const i = (VIEWS.indexOf(this.state.view) + by + VIEWS.length) % VIEWS.length;
		this.set({view: VIEWS[i]});
		byId('tabs').querySelectorAll('button')[i].focus();
	}

	focusView() {
		this.renderNow();
		const {host} = this.views[VIEWS.indexOf(this.state.view)];
		const inside = /** @type {HTMLElement | null} */ (host.tabIndex >= 0 ? host : host.querySelector('[tabindex="0"]'));
		if (inside)
			inside.focus({preventScroll: true});
	}

	focusSearch() {
		this.search.focus();
		this.search.select();
	}

	/** @param {number} f */
	choose(f) {
		const path = this.state.path;
		this.set({fn: f, path: path[path.length - 1] === f ? path : []}, false);
		const by = this.functions();
		this.tell(`${brief(this.page.name[f], 200)}, ${percent(by.total[f], this.whole())} with its callees, ` +
			`${percent(by.self[f], this.whole())} itself`);
	}

	/** @param {number} f */
	openFunction(f) {
		if (isFunction(this.page, f) || this.page.kind[f])
			this.set({fn: f, path: [], view: 'function'});
	}

	/** @param {number} id a node of the tree */
	selectNode(id) {
		const tree = this.tree(), path = pathOf(tree, id);
		this.set({path, fn: tree.func(id)}, false);
		this.tellNode(id);
	}

	/** @param {number} id */
	tellNode(id) {
		const tree = this.tree(), f = tree.func(id);
		this.tell(`${f ? brief(this.page.name[f], 200) : 'all'}, ${percent(tree.total(id), this.whole())}, itself ` +
			`${percent(tree.self(id), this.whole())}, ${counted(tree.samples(id), 'sample')}, level ${tree.depth(id)}`);
	}

	/** @param {number} id */
	zoomTo(id) {
		this.set({zoom: pathOf(this.tree(), id), path: pathOf(this.tree(), id), fn: this.tree().func(id)});
		this.tellNode(id);
	}

	/** @param {string} key */
	walk(key) {
		const rect = this.flame.neighbour(key);
		if (!rect)
			return;
		this.flame.selected = rect.id;
		this.flame.reveal(rect.id);
		this.selectNode(rect.id);
	}

	out() {
		const {zoom, query, path, fn, range} = this.state;
		if (this.flame.view[0] > 0 || this.flame.view[1] < 1)
			this.flame.look(0, 1);
		else if (zoom.length)
			this.set({zoom: []});
		else if (query)
			this.set({query: ''});
		else if (path.length || fn)
			this.set({path: [], fn: 0});
		else if (range)
			this.set({range: null});
	}

	/** @param {string} op */
	step(op) {
		const {fn, steps} = this.state;
		if (!fn)
			this.tell('no function is chosen');
		else if (!steps.some((s) => s.op === op && s.fn === fn))
			this.set({steps: [...steps, {op, fn}], zoom: [], path: []});
	}

	foldRecursion() {
		const {steps} = this.state, rest = steps.filter((s) => s.op !== 'r');
		this.set({steps: rest.length < steps.length ? rest : [...steps, {op: 'r', fn: 0}], zoom: [], path: []});
	}

	takeBack() {
		if (this.state.steps.length)
			this.set({steps: this.state.steps.slice(0, -1), zoom: [], path: []});
	}

	invert() {
		this.set({invert: !this.state.invert, zoom: [], path: []});
	}

	turn() {
		this.set({rising: !this.state.rising});
	}

	reorder() {
		this.set({order: this.state.order === 'name' ? 'weight' : 'name'});
	}

	recolour() {
		this.set({colour: this.state.colour === 'kind' ? 'dso' : 'kind'});
	}

	/** @param {number} by */
	moveRange(by) {
		const {range} = this.state, {time} = this.page.head;
		if (!range || !time)
			return;
		const length = range.to - range.from;
		const from = Math.max(0, Math.min(time.bins - length, range.from + by * Math.max(1, Math.round(length / 2))));
		this.set({range: {from, to: from + length}});
	}

	/** @param {number} factor */
	scaleRange(factor) {
		const {time} = this.page.head;
		if (!time)
			return;
		const {from, to} = this.state.range || {from: 0, to: time.bins};
		const length = Math.max(1, Math.min(time.bins, Math.round((to - from) * factor)));
		const start = Math.max(0, Math.min(time.bins - length, Math.round((from + to - length) / 2)));
		this.set({range: length === time.bins ? null : {from: start, to: start + length}});
	}

	/** @param {number} by */
	nextMatch(by) {
		const match = this.match(), tree = this.tree();
		if (!match)
			return;
		const list = [], todo = [this.zoomNode()], least = this.whole() / 20000;
		while (todo.length && list.length < 5000) {
			const id = /** @type {number} */ (todo.pop());
			if (match[tree.func(id)])
				list.push(id);
			const {kids} = tree.below(id, least);
			todo.push(...kids.sort((a, b) => tree.total(a) - tree.total(b)));
		}
		if (!list.length)
			return;
		const at = list.indexOf(this.selectedNode());
		const id = list[(at < 0 ? by > 0 ? 0 : list.length - 1 : at + by + list.length) % list.length];
		this.selectNode(id);
		this.renderNow();
		if (this.state.view === 'flame')
			this.flame.reveal(id);
	}

	async copy() {
		const {path, fn} = this.state, {name} = this.page;
		const text = (path.length ? path : fn ? [fn] : []).map((f) => name[f]).join('\n');
		if (!text)
			return;
		try {
			await navigator.clipboard.writeText(text);
			this.tell('copied');
		} catch {
			this.tell('the browser does not let this page copy');
		}
	}

	help() {
		const dialog = document.body.appendChild(helpDialog());
		dialog.addEventListener('close', () => dialog.remove());
		dialog.showModal();
	}

	save() {
		const dialog = document.body.appendChild(saveDialog(this));
		dialog.addEventListener('close', () => dialog.remove());
		dialog.showModal();
	}

	// The page.

	makeFlame() {
		const flame = new Flame({label: 'flame graph: arrows walk, Enter zooms, Escape goes out',
			name: (f) => f ? this.page.name[f] : 'all', colours: () => this.colours(), match: () => this.match(),
			byName: () => this.state.order === 'name',
			onSelect: (rect) => rect.rest ? this.tellRect(flame, rect) : this.selectNode(rect.id),
			onZoom: (id) => this.zoomTo(id),
			onHover: (rect, x, y) => this.tip(flame, rect, x, y)});
		return flame;
	}

	/** @returns {import('./timeline.js').TimeHooks} */
	timeHooks() {
		return {page: this.page, tree: () => this.event(), selection: () => this.selection(),
			range: () => this.state.range, marked: () => this.marked(),
			setRange: (range, done) => this.set({range}, done),
			toggle: (by, numbers, add) => this.toggle(by, numbers, add), tell: (text) => this.tell(text)};
	}

	/**
	 * @param {'cpu' | 'lane'} by
	 * @param {number[]} numbers
	 * @param {boolean} add
	 */
	toggle(by, numbers, add) {
		const now = by === 'cpu' ? this.state.cpus : this.state.lanes;
		const all = numbers.every((n) => now.includes(n));
		const others = add ? now.filter((n) => !numbers.includes(n)) : [];
		const next = all && (add || now.length === numbers.length) ? others : [...others, ...numbers].sort((a, b) => a - b);
		this.set(by === 'cpu' ? {cpus: next} : {lanes: next});
	}

	/** @returns {View} */
	timeView() {
		const host = el('div.timeview', {}, el('h3', {}, 'CPUs, processes, threads'),
			el('p.faint', {}, 'Click a name to see only that row (with Shift: add it); drag over the time for a range.'),
			this.rows.host);
		if (this.heatMap)
			host.append(el('h3', {}, `Heat map: each column is ${seconds(this.heatMap.unit)}, from bottom to top`), this.heatMap.host);
		return {host, render: () => {
			this.rows.draw();
			if (this.heatMap)
				this.heatMap.draw();
		}};
	}

	fillPage() {
		const {head} = this.page;
		byId('title').textContent = head.title;
		this.events.append(...head.events.map((e, i) => el('option', {value: i}, e.name)));
		this.events.addEventListener('change', () => this.set({event: Number(this.events.value), zoom: [], path: []}));
		byId('top').append(this.events, button('Save …', 'what is selected, as a file', () => this.save()),
			button('?', 'keys (?)', () => this.help(), {'aria-label': 'keys'}));
		const notes = notesOf(this);
		if (notes.length)
			byId('notes').append(el('b', {}, '! '), brief(notes[0], 240) + ' ',
				button(notes.length > 1 ? `${notes.length - 1} more` : 'facts', 'all of it (6)', () => this.view(5)));
		if (this.strip)
			byId('strip').append(this.strip.host);
		byId('tabs').append(...LABELS.map((label, i) => button(label, `key ${i + 1}`, () => this.view(i),
			{role: 'tab', id: 'tab-' + VIEWS[i], 'aria-controls': 'view'})));
		this.search.addEventListener('input', () => this.set({query: this.search.value}, false));
		this.search.addEventListener('change', () => this.write(true));
		this.toggles = [button('Invert', 'from the leaves on (i)', () => this.invert()),
			button('Callers below', 'callers at the bottom (u)', () => this.turn()),
			button('By name', 'order by name, not by weight (o)', () => this.reorder()),
			button('By kind', 'colours by kind, not by file (k)', () => this.recolour()),
			button('Fold recursion', 'calls of itself become one (r)', () => this.foldRecursion())];
		byId('bar').append(el('span.group', {}, ...this.toggles), el('span.group.search', {}, this.found, this.search));
		this.renderNow();
	}

	renderNow() {
		if (this.waiting)
			cancelAnimationFrame(this.waiting);
		this.waiting = 0;
		const {state} = this, at = VIEWS.indexOf(state.view), host = byId('view');
		this.events.value = String(state.event);
		if (document.activeElement !== this.search || !state.query)
			this.search.value = state.query;
		byId('tabs').querySelectorAll('button').forEach((b, i) => {
			b.setAttribute('aria-selected', String(i === at));
			b.tabIndex = i === at ? 0 : -1;
		});
		host.setAttribute('aria-labelledby', 'tab-' + state.view);
		[state.invert, state.rising, state.order === 'name', state.colour === 'kind', state.steps.some((s) => s.op === 'r')]
			.forEach((on, i) => this.toggles[i].setAttribute('aria-pressed', String(on)));
		this.toggles[1].hidden = state.view !== 'flame';
		this.toggles[0].hidden = this.toggles[2].hidden = !['flame', 'tree'].includes(state.view);
		byId('bar').hidden = byId('legend').hidden = state.view === 'facts';
		this.renderChips();
		this.renderLegend();
		if (host.firstElementChild !== this.views[at].host)
			host.replaceChildren(this.views[at].host);
		if (this.strip)
			this.strip.draw();
		this.views[at].render();
		this.renderStatus();
		this.tip(null, null, 0, 0);
	}

	renderFlame() {
		if (this.flame.rising !== this.state.rising) {
			this.flame.rising = this.state.rising;
			this.flame.tree = null;
		}
		this.flame.show(this.tree(), this.zoomNode(), this.selectedNode());
	}

	renderChips() {
		const {state, page} = this, {head} = page, name = (/** @type {number} */ f) => brief(page.name[f], 60);
		/** @type {HTMLElement[]} */
		const chips = [];
		/** @type {(text: string, change: Partial<State>) => void} */
		const chip = (text, change) => {
			chips.push(el('span.chip', {}, text, button('×', 'take away', () => this.set(change), {'aria-label': 'take away: ' + text})));
		};
		if (state.range && head.time) {
			const unit = head.time.bin_ns / 1e9, {from, to} = state.range;
			chip(`${seconds(from * unit)} – ${seconds(to * unit)}`, {range: null});
		}
		const some = (/** @type {string[]} */ list) => list.length > 3 ? `${list.length} of them` : list.join(', ');
		if (state.cpus.length)
			chip('CPU ' + some(state.cpus.map((i) => String(head.cpus[i]))), {cpus: []});
		if (state.lanes.length)
			chip('thread ' + some(state.lanes.map((i) => `${head.lanes[i].comm} ${head.lanes[i].tid}`)), {lanes: []});
		/** @type {{[op: string]: string}} */
		const words = {f: 'only below', m: 'without frames of', c: 'collapsed', d: 'without samples in'};
		for (const s of state.steps)
			chip(s.fn ? `${words[s.op]} ${name(s.fn)}` : 'recursion folded', {steps: state.steps.filter((x) => x !== s), zoom: [], path: []});
		if (state.zoom.length)
			chip('zoomed to ' + name(state.zoom[state.zoom.length - 1]), {zoom: []});
		byId('chips').replaceChildren(...chips);
		const all = this.eventHead(), w = this.weights();
		byId('share').textContent = w.total[0] === all.total ? '' : `${percent(w.total[0], all.total)} of all: ` +
			`${amount(w.total[0], all.unit)}, ${counted(w.samples[0], 'sample')}`;
		const found = state.query ? this.matchedWeight() : null;
		this.found.textContent = found ? `${percent(found.weight, this.whole())} matched, ${counted(found.samples, 'sample')}` : '';
	}

	renderLegend() {
		const colours = this.colours(), whole = this.eventHead().total, {classes} = colours;
		const key = [this.state.event, this.state.colour, ink().text];
		this.keep('legend', key, () => {
			const fills = fillsOf(colours);
			byId('legend').replaceChildren(...classes.map((c, i) => ({c, i})).filter(({c}) => c.total > 0).map(({c, i}) => {
				const swatch = el('i');
				swatch.style.background = fills[i * 3];
				return el('span', {}, swatch, brief(c.label, 60), el('em', {}, percent(c.total, whole)));
			}));
			return true;
		});
	}

	renderStatus() {
		const {state, page} = this, f = state.fn, bar = byId('chosen');
		bar.hidden = state.view === 'facts';
		if (!f) {
			bar.replaceChildren(el('span.faint', {}, 'No function is chosen: click one, or walk with the arrows. ? shows all keys.'));
		} else {
			const by = this.functions(), whole = this.whole(), swatch = el('i.swatch');
			swatch.style.background = this.fill(f);
			const step = (/** @type {string} */ op, /** @type {string} */ text, /** @type {string} */ title) =>
				button(text, `${title} (${op})`, () => this.step(op));
			bar.replaceChildren(swatch, el('b', {}, brief(page.name[f], 160)), el('span.faint', {}, brief(page.dso[f], 80)),
				el('span', {}, `${percent(by.total[f], whole)} with callees, ${percent(by.self[f], whole)} itself`),
				el('span.group', {}, button('Callers, callees', 'the page of this function (5)', () => this.openFunction(f)),
					step('f', 'Focus', 'only what runs below it'), step('m', 'Merge', 'its frames into their callers'),
					step('c', 'Collapse', 'it with all below it'), step('d', 'Drop', 'all samples that have it')));
		}
		const {frames, blocks, merged, weight} = this.flame.drawn;
		byId('drawn').textContent = state.view !== 'flame' ? '' : `${counted(frames, 'frame')}` + (merged
			? `; ${count(merged)} narrower than a pixel are ${counted(blocks, 'grey block')}, ${percent(weight, this.whole())}` : '');
	}

	/**
	 * @param {Flame} flame
	 * @param {Rect} rect
	 */
	tellRect(flame, rect) {
		const tree = /** @type {Tree} */ (flame.tree);
		if (rect.rest)
			this.tell(this.restText(tree, rect));
		else
			this.tell(`${brief(this.page.name[tree.func(rect.id)], 200)}, ${percent(rect.weight, this.whole())}`);
	}

	/**
	 * @param {Tree} tree
	 * @param {Rect} rect
	 */
	restText(tree, rect) {
		const most = this.flame.width() ? rect.weight : 0;
		return `${counted(rect.rest, tree.upward ? 'caller' : 'callee')} too narrow to draw, together ` + percent(most, this.whole());
	}

	/**
	 * What is under the pointer.
	 * @param {Flame | null} flame
	 * @param {Rect | null} rect
	 * @param {number} x
	 * @param {number} y
	 */
	tip(flame, rect, x, y) {
		const tip = byId('tip');
		tip.hidden = !rect;
		if (!rect || !flame || !flame.tree)
			return;
		const {tree} = flame, f = tree.func(rect.id), {page} = this, {unit} = this.eventHead(), whole = this.whole();
		if (rect.rest) {
			tip.replaceChildren(el('b', {}, this.restText(tree, rect)),
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
				flame.zoom ? el('div.faint', {}, `${percent(tree.total(rect.id), zoomed)} of what is zoomed to`) : '');
		}
		const box = tip.getBoundingClientRect();
		tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + 'px';
		tip.style.top = (y + 20 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 18) + 'px';
	}
}

/**
 * @param {number[]} chosen
 * @param {number} n
 */
function maskOf(chosen, n) {
	if (!chosen.length)
		return null;
	const mask = new Uint8Array(n);
	for (const i of chosen)
		mask[i] = 1;
	return mask;
}

/**
 * A regular expression without regard to case unless it has capitals; what is no
 * regular expression is looked for as it stands.
 * @param {string} query
 * @returns {(text: string) => boolean}
 */
function patternOf(query) {
	try {
		const pattern = new RegExp(query, /[A-Z]/.test(query) ? '' : 'i');
		return (text) => pattern.test(text);
	} catch {
		const low = query.toLowerCase();
		return (text) => text.toLowerCase().includes(low);
	}
}

/**
 * What tests and measurements hold on to.
 * @param {App} app
 */
function testHandle(app) {
	const timed = (/** @type {string} */ name, /** @type {() => any} */ work) => {
		const start = performance.now(), value = work();
		handle.T[name] = performance.now() - start;
		return value;
	};
	const handle = {
		app,
		/** @type {{[name: string]: number}} */
		T: {},
		get D() {
			const {shape} = app.shape();
			return {n: shape.n, depth: shape.depth, func: shape.func, parent: shape.parent,
				bins: app.page.head.time ? app.page.head.time.bins : 0};
		},
		get tot() {
			return app.weights().total;
		},
		get drawn() {
			return app.flame.drawn;
		},
		get root() {
			return app.zoomNode();
		},
		set root(id) {
			app.state.zoom = pathOf(app.tree(), id);
		},
		select: (/** @type {number} */ from, /** @type {number} */ to) => timed('select', () => {
			app.state.range = {from, to};
			return app.weights().total[0];
		}),
		draw: () => timed('draw', () => app.renderNow()),
		search: (/** @type {string} */ query) => timed('search', () => {
			app.state.query = query;
			app.renderNow();
			return query ? app.matchedWeight().weight / app.whole() : 0;
		}),
		topTable: () => timed('table', () => tableOrder(app, 'self', true).map((f) => ({name: app.page.name[f],
			dso: app.page.dso[f], self: app.functions().self[f], total: app.functions().total[f],
			samples: app.functions().selfSamples[f]}))),
	};
	return handle;
}

async function start() {
	try {
		const app = new App(readPage(await /** @type {any} */ (window).unpack('data')));
		Object.assign(window, {pp: testHandle(app), __ready: performance.now()});
		document.body.classList.remove('loading');
		app.renderNow();
	} catch (error) {
		byId('unknown').textContent = 'This page cannot be shown: ' + (error instanceof Error ? error.message : String(error));
		throw error;
	}
}

start();
