import { render } from 'preact';
import { startSession } from './session.ts';
import * as state from './state.ts';
import { renderThumbnail } from './thumbnails.ts';
import { App } from './ui/app.tsx';
import './style.css';
import 'uplot/dist/uPlot.min.css';

const media = matchMedia('(prefers-color-scheme: dark)');
state.systemDark.value = media.matches;
media.addEventListener('change', () => {
  state.systemDark.value = media.matches;
});
const narrow = matchMedia('(max-width: 900px)');
if (narrow.matches) state.plotsOpen.value = false;

state.dark.subscribe((dark) => {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
});

const host = document.getElementById('app');
if (host) render(<App />, host);

declare global {
  interface Window {
    /** For the script that renders the pictures of the cases. */
    renderThumbnail: typeof renderThumbnail;
  }
}
window.renderThumbnail = renderThumbnail;

if (typeof Worker === 'undefined') {
  state.fatal.value =
    'This browser has no web workers, in which the simulation runs. A recent Chromium, Firefox or Safari has.';
} else startSession();
