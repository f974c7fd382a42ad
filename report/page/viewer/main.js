// main.js: begins when the page is there, and what tests hold on to.

import { readPage } from './data.js';
import { pathOf } from './tree.js';
import { byId } from './dom.js';
import { tableOrder } from './table.js';
import { App } from './app.js';

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
		topTable: () => timed('table', () => {
			const {self, total, selfSamples} = app.functions(), {name, dso} = app.page;
			return tableOrder(app, 'self', true).map((f) => ({name: name[f], dso: dso[f], self: self[f], total: total[f],
				samples: selfSamples[f]}));
		}),
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
