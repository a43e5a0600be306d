/** The run as a film: what the canvas shows while it plays once, in the format that this browser writes. */
import { download } from './files.ts';
import { seek } from './playback.ts';
import * as state from './state.ts';
import { current } from './ui/current.ts';

const formats: readonly (readonly [string, string])[] = [
  ['video/mp4;codecs=avc1.640028', 'mp4'],
  ['video/webm;codecs=vp9', 'webm'],
  ['video/webm;codecs=vp8', 'webm'],
  ['video/webm', 'webm'],
  ['video/mp4', 'mp4'],
];

export function filmFormat(): readonly [string, string] | undefined {
  if (typeof MediaRecorder === 'undefined') return undefined;
  return formats.find(([type]) => MediaRecorder.isTypeSupported(type));
}

export function saveFilm(): Promise<void> {
  const format = filmFormat();
  const canvas = document.querySelector<HTMLCanvasElement>('canvas.stage');
  if (!format || !canvas || !current.view) {
    state.tell('This browser records no films. The command does: tendril export --to mp4', 'bad');
    return Promise.resolve();
  }
  const { view } = current;
  const [type, ending] = format;
  const parts: Blob[] = [];
  const looped = state.loop.value;
  view.setBackdrop(state.dark.value ? '#151a23' : '#f4f1ea');
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 8_000_000 });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  state.loop.value = false;
  seek(state.frames.first);
  recorder.start();
  state.playing.value = true;
  state.tell('Filming: the run plays once. Pause ends the film.');
  return new Promise((resolve) => {
    recorder.onstop = () => {
      view.setBackdrop(undefined);
      state.loop.value = looped;
      const name = state.sceneName.value.replace(/\.\w+$/, `.${ending}`);
      download(new Blob(parts, { type }), name);
      state.tell(`Saved ${name}.`, 'good');
      resolve();
    };
    const ended = state.playing.subscribe((playing) => {
      if (playing) return;
      // the last picture is drawn after the clock has stopped
      setTimeout(() => {
        ended();
        if (recorder.state !== 'inactive') recorder.stop();
      }, 200);
    });
  });
}
