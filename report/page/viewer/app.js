// app.js: what the user does, and the page that follows.

import { isFunction, pathOf } from './tree.js';
import { brief, button, byId, counted, el, percent, seconds } from './dom.js';
import { onThemeChange } from './colour.js';
import { Flame } from './flame.js';
import { TableView } from './table.js';
import { CallTreeView } from './calltree.js';
import { changeKinds, changesOf, ChangesView, comparisonTitle, runTotals } from './changes.js';
import { FunctionView } from './sandwich.js';
import { FactsView, notesOf } from './facts.js';
import { Strip } from './timeline.js';
import { HeatMap, TimeRows } from './timerows.js';
import { FunctionNames, readHash, VIEWS, writeHash } from './hash.js';
import { helpDialog, listenToKeys } from './keys.js';
import { saveDialog } from './save.js';
import { Model } from './model.js';
import { changeText, renderChips, renderLegend, renderStatus, showTip, tellRect } from './frame.js';

/** @typedef {import('./data.js').Page} Page */
/** @typedef {import('./hash.js').State} State */
/** @typedef {{host: HTMLElement, render: () => void}} View */

const LABELS = ['Flame graph', 'Table', 'Timeline', 'Call tree', 'Function', 'Facts', 'Changes'];

/**
 * What the page is called: its sides, what it was told, or the recorded command.
 * @param {import('./data.js').Head} head
 */
function titleOf(head) {
	return brief((head.diff && !head.lane ? comparisonTitle(head.diff) : head.title) || commandOf(head) || 'perfpair', 300);
}

/** @param {import('./data.js').Head} head */
function commandOf(head) {
	const command = (head.recordings[0] || []).find(([label]) => label === 'command');
	return command ? command[1] : '';
}

export class App extends Model {
	/** @param {Page} page */
	constructor(page) {
		const names = new FunctionNames(page), {state, unknown} = readHash(names, location.hash);
		super(page, state);
		this.names = names;
		this.waiting = 0;
		/** The timer that writes the address. */
		this.later = 0;
		/** The address of the step that Back goes back to. */
		this.settled = location.hash;
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
		this.heatMap = page.head.time && page.head.time.bin_ns && !page.head.time.utc ? new HeatMap(hooks) : null;
		this.functionView = new FunctionView(this);
		/** @type {View[]} */
		this.views = [{host: this.flame.host, render: () => this.renderFlame()}, new TableView(this),
			this.timeView(), new CallTreeView(this), this.functionView, new FactsView(this)];
		if (page.head.diff)
			this.views.push(new ChangesView(this));
		this.fillPage();
		this.say(unknown);
		listenToKeys(this);
		onThemeChange(() => this.renderNow());
		window.addEventListener('hashchange', () => this.readAddress());
		window.addEventListener('popstate', () => this.readAddress());
	}

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

	/**
	 * The address follows; while something is dragged or typed it is one step, and
	 * written now and then: browsers refuse to change it too often.
	 * @param {boolean} done
	 */
	write(done) {
		const hash = writeHash(this.names, this.state);
		if (!done) {
			this.later = this.later || setTimeout(() => {
				this.later = 0;
				history.replaceState(null, '', writeHash(this.names, this.state));
			}, 150);
			return;
		}
		clearTimeout(this.later);
		this.later = 0;
		if (hash === this.settled)
			return;
		history.replaceState(null, '', this.settled || location.href);
		history.pushState(null, '', hash);
		this.settled = hash;
	}

	readAddress() {
		const {state, unknown} = readHash(this.names, location.hash);
		this.state = state;
		this.settled = location.hash;
		clearTimeout(this.later);
		this.later = 0;
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
		if (!this.views[i])
			return;
		this.set({view: VIEWS[i]});
		this.focusView();
	}

	/** @param {number} by */
	stepTab(by) {
		const n = this.views.length, i = (VIEWS.indexOf(this.state.view) + by + n) % n;
		this.set({view: VIEWS[i]});
		byId('tabs').querySelectorAll('button')[i].focus();
	}

	focusView() {
		this.renderNow();
		const {host} = this.views[VIEWS.indexOf(this.state.view)];
		const inside = /** @type {HTMLElement[]} */ ([host, ...host.querySelectorAll('[tabindex="0"]')]).filter((e) => e.tabIndex >= 0 && e.offsetParent);
		if (inside.length)
			(inside.find((e) => e.matches('.listing .grid + .grid')) || inside[0]).focus({preventScroll: true});
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
			`${percent(tree.self(id), this.whole())}, ${counted(tree.samples(id), 'sample')}, level ${tree.depth(id)}` +
			(this.page.head.diff && !tree.upward ? ', ' + changeText(this, id) : ''));
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

	turnFunction() {
		if (!this.page.code.of.has(this.state.fn)) {
			this.tell('the page has no instructions of this function');
			return;
		}
		this.set({code: !this.state.code});
		this.focusView();
	}

	recolour() {
		const modes = this.page.head.diff ? ['dso', 'kind', 'change'] : ['dso', 'kind'];
		this.set({colour: modes[(modes.indexOf(this.state.colour) + 1) % modes.length]});
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

	changeKinds() {
		return this.keep('kinds', [this.state.event], () => changeKinds(this));
	}

	measured() {
		const {unit, changes} = changesOf(this);
		return {unit, totals: runTotals(changes)};
	}

	/**
	 * What the colours by change say, for eyes that see none.
	 * @param {number} f
	 * @param {number} id
	 */
	sign(f, id) {
		return this.state.colour === 'change' ? ['', '+ ', '− ', '+ ', '− ', '+ ', '− '][this.kindOf(f, id)] : '';
	}

	// The page.

	makeFlame() {
		const flame = new Flame({label: 'flame graph: arrows walk, Enter zooms, Escape goes out',
			name: (f, id) => f ? this.sign(f, id) + this.page.name[f] : 'all', colours: () => this.colours(),
			kind: (f, id) => this.kindOf(f, id), match: () => this.match(),
			byName: () => this.state.order === 'name',
			onSelect: (rect) => rect.rest ? tellRect(this, flame, rect) : this.selectNode(rect.id),
			onZoom: (id) => this.zoomTo(id),
			onHover: (rect, x, y) => showTip(this, flame, rect, x, y)});
		return flame;
	}

	/** @returns {import('./timeline.js').TimeHooks} */
	timeHooks() {
		return {page: this.page, key: () => JSON.stringify([this.state.event, this.state.cpus, this.state.lanes]), tree: () => this.event(), selection: () => this.selection(),
			range: () => this.state.range, marked: () => this.marked(),
			gaps: () => this.gaps(), setRange: (range, done) => this.set({range}, done),
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
		const {lane, diff} = this.page.head, what = lane ? lane[0].toUpperCase() + lane.slice(1) + 's' : diff ? 'Runs' : 'CPUs, processes, threads';
		const host = el('div.timeview', {}, el('h2', {}, what),
			el('p.faint', {}, 'Click a name to see only that row (with Shift: add it); drag over the time for a range.'),
			this.rows.host);
		if (this.heatMap)
			host.append(el('h2', {}, `Heat map: each column is ${seconds(this.heatMap.unit)}, from bottom to top`), this.heatMap.host);
		return {host, render: () => {
			this.rows.draw();
			if (this.heatMap)
				this.heatMap.draw();
		}};
	}

	fillPage() {
		const {head} = this.page;
		byId('title').textContent = document.title = titleOf(head);
		byId('title').title = brief(commandOf(head), 1000);
		// Events that only carry records of tasks and maps have no samples: there is nothing to see.
		this.events.append(...head.events.flatMap((e, i) =>
			e.samples || i === this.state.event ? [el('option', {value: i}, e.name)] : []));
		this.events.addEventListener('change', () => this.set({event: Number(this.events.value), zoom: [], path: []}));
		byId('top').append(this.events, button('Save …', 'what is selected, as a file', () => this.save()),
			button('?', 'keys (?)', () => this.help(), {'aria-label': 'keys'}));
		const notes = notesOf(this);
		if (notes.length)
			byId('notes').append(el('b', {}, '! '), brief(notes[0], 240) + ' ',
				button(notes.length > 1 ? `${notes.length - 1} more` : 'facts', 'all of it (6)', () => this.view(5)));
		if (this.strip)
			byId('strip').append(this.strip.host);
		byId('tabs').append(...LABELS.slice(0, this.views.length).map((label, i) => button(label, `key ${i + 1}`, () => this.view(i),
			{role: 'tab', id: 'tab-' + VIEWS[i], 'aria-controls': 'view'})));
		this.search.addEventListener('input', () => this.set({query: this.search.value}, false));
		this.search.addEventListener('change', () => this.write(true));
		this.toggles = [button('Invert', 'from the leaves on (i)', () => this.invert()),
			button('Callers below', 'callers at the bottom (u)', () => this.turn()),
			button('By name', 'order by name, not by weight (o)', () => this.reorder()),
			button('Colours', 'by file, by kind, of a comparison by change (k)', () => this.recolour()),
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
		[state.invert, state.rising, state.order === 'name', state.colour !== 'dso', state.steps.some((s) => s.op === 'r')]
			.forEach((on, i) => this.toggles[i].setAttribute('aria-pressed', String(on)));
		this.toggles[1].hidden = state.view !== 'flame';
		this.toggles[0].hidden = this.toggles[2].hidden = !['flame', 'tree'].includes(state.view);
		byId('bar').hidden = state.view === 'facts';
		byId('legend').hidden = ['facts', 'changes', 'time'].includes(state.view);
		this.toggles[3].hidden = this.toggles[4].hidden = ['changes', 'time'].includes(state.view);
		renderChips(this);
		renderLegend(this);
		if (host.firstElementChild !== this.views[at].host)
			host.replaceChildren(this.views[at].host);
		if (this.strip)
			this.strip.draw();
		this.views[at].render();
		renderStatus(this);
		showTip(this, null, null, 0, 0);
	}

	renderFlame() {
		if (this.flame.rising !== this.state.rising) {
			this.flame.rising = this.state.rising;
			this.flame.tree = null;
		}
		this.flame.show(this.tree(), this.zoomNode(), this.selectedNode());
	}
}
