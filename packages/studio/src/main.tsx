// first: others ask for the language as they load, and the worker loads beside them
import './locale.ts';
import './firstWorker.ts';
import type { Signal } from '@preact/signals';
import { render } from 'preact';
import { closePanels, openFirst } from './opening.ts';
import { lastWork } from './recent.ts';
import { startSession } from './session.ts';
import * as state from './state.ts';
import { App } from './ui/app.tsx';
import './style.css';

const follow = (query: string, signal: Signal<boolean>): void => {
  const list = matchMedia(query);
  signal.value = list.matches;
  list.addEventListener('change', () => {
    signal.value = list.matches;
  });
};
follow('(prefers-color-scheme: dark)', state.systemDark);
follow('(max-width: 900px)', state.narrow);
follow('(max-width: 1180px)', state.tight);
if (state.narrow.value || matchMedia('(max-height: 640px)').matches) state.plotsOpen.value = false;
// one thing fills the view of a first visit
if (state.viewOnly || (location.hash === '' && !lastWork())) closePanels();

state.dark.subscribe((dark) => {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
});

const host = document.getElementById('app');
if (host) render(<App />, host);

// tests and the scripts that take pictures ask for it before the page loads
if ('tendrilScripting' in window)
  void import('./scripting.ts').then(({ scripting }) => {
    window.tendrilStudio = scripting;
  });

if (typeof Worker === 'undefined') {
  state.fatal.value =
    'This browser has no web workers, in which the simulation runs. A recent Chromium, Firefox or Safari has.';
} else startSession(openFirst);
