/** What the page knows, by feature. Signals: whoever reads one is drawn again when it changes. */
export * from './state/layout.ts';
export * from './state/run.ts';
export * from './state/scene.ts';
export * from './state/view.ts';
