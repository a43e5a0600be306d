/** Changes of a scene that runs, or has run: what is shown belongs to the values beside it. */
import { expect, it } from 'vitest';
import { cursor, goTo, seek, togglePlay } from '../src/playback.ts';
import {
  asWritten,
  cancelLoading,
  change,
  edit,
  openText,
  redo,
  restart,
  setVariants,
  undo,
  view,
} from '../src/session.ts';
import * as state from '../src/state.ts';
import { editsOf, isLive } from '../src/ui/edits.ts';
import { runUntil, useSession } from './inProcess.ts';

useSession();

const sagging = `tendril: 1
title: A rod that sags
gravity: [ 0, 0, -9.81 ]
rods:
  - id: rod
    shape: { type: straight, from: [ 0, 0, 0 ], to: [ 1, 0, 0 ] }
    edges: 12
    section: { type: circle, radius: 0.01 }
    material: { E: 20 MPa, nu: 0.4, density: 1000, damping: { mass: 20 } }
pins:
  - { rod: rod, at: start }
time: { duration: 1, step: 0.02 }
`;

const E = ['rods', 0, 'material', 'E'] as const;

it('shows nothing, and says so, after the first load was cancelled; another scene opens', async () => {
  const opened = openText(sagging, 'first.yaml');
  cancelLoading();
  expect(await opened).toBe(false);
  expect(state.problems.value[0].message).toContain('You stopped');
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(state.loaded.value).toBeUndefined();
  await openText(sagging.replace('sags', 'is second'), 'second.yaml');
  await runUntil(() => state.loaded.value?.title === 'A rod that is second');
  expect(state.problems.value).toEqual([]);
});

it('goes back to the models that ran, and keeps the edits, where a comparison was cancelled', async () => {
  await openText(sagging, 'compared.yaml');
  await edit([{ path: E, value: '30 MPa' }], 'E');
  setVariants(['der', 'fiber'].map((id) => ({ id, label: id })));
  cancelLoading();
  expect(state.variants.value).toEqual([asWritten]);
  expect(state.text.value).toContain('30 MPa');
  await runUntil(() => state.frames.last > 0.1);
});

it('does not show a scene after another was asked for, unless that one cannot be shown', async () => {
  const seen = new Set<string | undefined>();
  const stop = state.loaded.subscribe((loaded) => void seen.add(loaded?.title));
  void openText(sagging.replace('sags', 'was overtaken'), 'first.yaml');
  await openText(sagging.replace('sags', 'is shown'), 'second.yaml');
  expect(state.loaded.value?.title).toBe('A rod that is shown');
  expect(seen).not.toContain('A rod that was overtaken');
  void openText(sagging.replace('sags', 'remains'), 'third.yaml');
  await openText(sagging.replace('edges: 12', 'edges: -1'), 'fourth.yaml');
  stop();
  expect(state.loaded.value?.title).toBe('A rod that remains');
  expect(state.problems.value.length).toBeGreaterThan(0);
  await runUntil(() => state.frames.last > 0.05);
});

it('opens a file anew by undo, where the next file had the same name', async () => {
  const kept: boolean[] = [];
  await openText(sagging, 'test.yaml');
  await openText(sagging.replace('sags', 'is another').replace('edges: 12', 'edges: 9'), 'test.yaml');
  view.loaded = (_, { keepCamera }) => void kept.push(keepCamera);
  undo();
  await runUntil(() => state.loaded.value?.title === 'A rod that sags');
  view.loaded = undefined;
  expect(kept).toEqual([false]);
});

const runSagging = async (): Promise<void> => {
  await openText(sagging, 'test.yaml');
  state.speed.value = 4;
  await runUntil(() => state.loaded.value?.title === 'A rod that sags' && state.frames.frames.length > 0);
};

/** Waits until the run has come to its end and begins again. */
const waitForLoop = async (): Promise<void> => {
  await runUntil(() => cursor() > 0.9);
  await runUntil(() => cursor() < 0.1);
};

/** Height of the tip in the last frame [m]. */
const tip = (): number => state.frames.frames[state.frames.frames.length - 1].lanes[0].data[3 * 12 + 2];

const values = (): string => JSON.stringify(state.loaded.value?.values);

it('resimulates after the run has finished and loops', async () => {
  await runSagging();
  await waitForLoop();
  const before = tip();
  expect(before).toBeLessThan(-0.1);
  const samples = state.frames.stats.length;
  await runUntil(() => cursor() > 0.2);
  // ten times stiffer: the tip ends far higher
  await edit([{ path: E, value: '200 MPa' }], 'E');
  // no frame of the old run is left, and its curve stays as a ghost
  expect(values()).toContain('200 MPa');
  expect(state.ghostStats.value.length).toBeGreaterThanOrEqual(samples);
  await runUntil(() => state.frames.frames.length > 1);
  expect(state.frames.first).toBeGreaterThan(0);
  // played to its end, it is run from the start under the new values
  await waitForLoop();
  await runUntil(() => state.frames.first === 0 && state.frames.last > 0.3);
  expect(state.ghostStats.value.length).toBeGreaterThan(0);
  await waitForLoop();
  expect(tip()).toBeGreaterThan(0.6 * before);
});

it('goes on from the cursor, not from the end of what was computed', async () => {
  await runSagging();
  await runUntil(() => cursor() > 0.6);
  togglePlay();
  seek(0.31);
  await edit([{ path: E, value: '200 MPa' }], 'E');
  await runUntil(() => state.frames.frames.length > 0);
  // from the frame at or before the cursor; a pause stays one
  expect(state.frames.first).toBeCloseTo(0.3, 9);
  expect(state.frames.last).toBe(state.frames.first);
  expect(state.playing.value).toBe(false);
  togglePlay();
  await runUntil(() => state.frames.last > 0.4);
});

it('restarts where the state does not fit, and says so; undo and redo go on', async () => {
  await runSagging();
  await runUntil(() => cursor() > 0.3);
  expect(isLive(E)).toBe(true);
  expect(isLive(['rods', 0, 'edges'])).toBe(false);
  await edit([{ path: ['rods', 0, 'edges'], value: 16 }], 'edges');
  expect(state.notice.value?.text).toMatch(/^Restarted/);
  expect(state.loaded.value?.lanes[0].rods[0].edgeCount).toBe(16);
  await runUntil(() => state.frames.first === 0 && state.frames.last > 0.2);
  undo();
  await runUntil(() => state.loaded.value?.lanes[0].rods[0].edgeCount === 12);
  redo();
  await runUntil(() => state.loaded.value?.lanes[0].rods[0].edgeCount === 16);
});

it('keeps what runs where the new text has a problem', async () => {
  await runSagging();
  await runUntil(() => cursor() > 0.2);
  const loaded = state.loaded.value;
  await change(sagging.replace('radius: 0.01', 'radius: -0.01'), 'text');
  expect(state.problems.value.length).toBeGreaterThan(0);
  expect(state.loaded.value).toBe(loaded);
  await runUntil(() => cursor() > 0.4);
  await change(sagging, 'text');
  expect(state.problems.value).toEqual([]);
});

it('offers one slider for what all rods have in common, and changes all of them', async () => {
  const rods = sagging.slice(sagging.indexOf('  - id'), sagging.indexOf('pins'));
  const two = sagging.replace(
    'pins:',
    `${rods.replace('id: rod', 'id: other').replace('radius: 0.01', 'radius: 0.02')}pins:`,
  );
  await openText(two, 'two.yaml');
  await runUntil(() => state.loaded.value?.lanes[0].rods.length === 2);
  const controls = state.loaded.value?.controls ?? [];
  // not the radius, in which they differ
  expect(controls.map(({ symbol }) => symbol)).toEqual(['E', 'g', 'c']);
  await edit(editsOf(controls[0], 3e7), 'E');
  expect(state.text.value.match(/E: 30000000|E: 3e\+?7/g)).toHaveLength(2);
});

it('drops frames of the run before a restart', async () => {
  await runSagging();
  await runUntil(() => cursor() > 0.5);
  restart();
  expect(state.frames.frames).toHaveLength(0);
  await runUntil(() => state.frames.frames.length > 2);
  expect(state.frames.first).toBe(0);
});

it('goes to an instant that was not computed yet, and stands there', async () => {
  await openText(sagging.replace('sags', 'sags again'), 'again.yaml');
  await runUntil(() => state.loaded.value?.title === 'A rod that sags again');
  goTo(0.5);
  expect(cursor()).toBeLessThan(0.5);
  await runUntil(() => state.frames.last >= 0.5);
  expect([cursor(), state.playing.value]).toEqual([0.5, false]);
  // frames that come later do not move it; the mouse does
  seek(0.25);
  await runUntil(() => true);
  expect(cursor()).toBe(0.25);
  togglePlay();
});
