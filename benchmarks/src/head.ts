/** Hair on a head that turns, beside the same hair without the head: what contact adds, measured in one run. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createWorld, type Model, type Scene, type Vec3, type World } from '@tendril-sim/core';
import type { Row } from './rows.ts';
import { hairOnHead } from './scenes.ts';

const RADIUS = 0.09;
const EDGES = 31;
const LENGTH = 0.2;
/** The turn: begins, ends [s], by [rad]. */
const TURN = { from: 0.25, to: 0.65, angle: 0.8 };

/** A hair that was combed down from its root: along the head as far as its widest place, then straight. */
function combed(k: number, count: number): Vec3[] {
  const z = 0.95 - (0.75 * (k + 0.5)) / count;
  const around = 2.399963 * k;
  const above = RADIUS + 5e-4;
  const start = Math.acos(z);
  const bend = Math.PI / 2 - start;
  return Array.from({ length: EDGES + 1 }, (_, i): Vec3 => {
    const way = (LENGTH * i) / EDGES;
    const angle = start + Math.min(bend, way / above);
    const r = above * Math.sin(angle);
    return [r * Math.cos(around), r * Math.sin(around), above * Math.cos(angle) - Math.max(0, way - above * bend)];
  });
}

/** Keys of the turn: displacement of a point of the head, and rotation. */
function turnOf([x, y]: Vec3): { keys: { time: number; offset: Vec3; rotation: Vec3 }[]; interpolation: 'smooth' } {
  const count = 8;
  const keys = Array.from({ length: count + 1 }, (_, i) => {
    const s = i / count;
    const angle = TURN.angle * (3 * s * s - 2 * s * s * s);
    const [c, d] = [Math.cos(angle) - 1, Math.sin(angle)];
    const offset: Vec3 = [c * x - d * y, d * x + c * y, 0];
    return { time: TURN.from + (TURN.to - TURN.from) * s, offset, rotation: [0, 0, angle] as Vec3 };
  });
  return { keys, interpolation: 'smooth' };
}

/** Frames of 1/60 s by implicit Euler, at the tolerance of the other rows of frames. */
export function headScene(count: number, { head }: { readonly head: boolean }): Scene {
  const shapes = Array.from({ length: count }, (_, k) => combed(k, count));
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods: shapes.map((points, k) => ({
      id: `hair${k}`,
      shape: { type: 'points', points },
      section: hairOnHead,
    })),
    pins: shapes.map(([root], k) => ({ rod: `hair${k}`, at: 'start', path: turnOf(root) })),
    ...(head && { colliders: [{ type: 'sphere', radius: RADIUS, friction: 0.3, path: turnOf([0, 0, 0]) }] }),
    time: { duration: 2, step: 1 / 60 },
    solver: { der: { integrator: 'implicit-euler', tolerance: 1e-3 } },
  };
}

/** Frame by frame in turn, so that what else the machine does slows both alike. */
export function headRow(name: string, count: number, frames: number, models: readonly Model[]): Row {
  const touching = createWorld(headScene(count, { head: true }), { models });
  const free = createWorld(headScene(count, { head: false }), { models });
  return compareFrames(
    name,
    touching,
    free,
    frames,
    'by kernels',
    (times, alone) => `without the head ${alone.toFixed(0)} ms: ${times.toFixed(2)} times, in turn; wanted: 2`,
  );
}

/**
 * The same hair by one thread and by two, in turn, each in a process of its own: beside another world in its process a world in two threads took 333 to
 * 407 ms a frame, by itself 324 to 344.
 */
export function threadedHeadRow(name: string, count: number, frames: number): Row {
  const child = fileURLToPath(new URL('headAlone.js', import.meta.url));
  const run = (threads: number): { seconds: number; iterations: number; hash: string } =>
    JSON.parse(execFileSync(process.execPath, [child, ...[count, frames, threads].map(String)], { encoding: 'utf8' }));
  const pairs = [0, 1, 2].map(() => ({ two: run(2), one: run(1) }));
  if (pairs.some(({ one, two }) => one.hash !== two.hash)) throw new Error('two threads have other bits than one');
  const least = (key: 'one' | 'two'): number => Math.min(...pairs.map((pair) => pair[key].seconds));
  const ratios = pairs.map(({ one, two }) => (one.seconds / two.seconds).toFixed(2));
  return {
    name,
    nodes: count * (EDGES + 1),
    timing: { seconds: least('two'), spread: Math.max(...pairs.map(({ two }) => two.seconds)) / least('two') - 1 },
    iterations: pairs[0].two.iterations,
    note: `hair on a head that turns, ${frames} frames of 1/60 s in two threads; in one ${(1000 * least('one')).toFixed(0)} ms: ${(least('one') / least('two')).toFixed(2)} times as fast (${ratios.join(', ')} in turn); wanted: 1.7`,
  };
}

function compareFrames(
  name: string,
  touching: World,
  free: World,
  frames: number,
  how: string,
  compare: (times: number, alone: number) => string,
): Row {
  const seconds = (work: () => void): number => {
    const start = performance.now();
    work();
    return (performance.now() - start) / 1000;
  };
  let [iterations, contacts, loaded] = [0, 0, 0];
  const took: number[] = [];
  const without: number[] = [];
  for (let k = 0; k < frames; k++) {
    without.push(
      seconds(() => {
        free.step();
      }),
    );
    took.push(
      seconds(() => {
        iterations += touching.step().iterations;
      }),
    );
    contacts += touching.contactReport?.contacts ?? 0;
    if (k === frames - 1) loaded = touching.contactForces().length;
  }
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const mean = sum(took) / frames;
  // the frames differ: of the spread the larger half is left out
  const sorted = [...took].sort((a, b) => a - b);
  const alone = (1000 * sum(without)) / frames;
  const note = [
    `hair on a head that turns, ${frames} frames of 1/60 s ${how}`,
    `${Math.round(contacts / frames)} contacts looked at, ${loaded} loaded`,
    compare(sum(took) / sum(without), alone),
  ].join('; ');
  return {
    name,
    nodes: touching.rods.length * (EDGES + 1),
    timing: { seconds: mean, spread: sorted[sorted.length - 1] / sorted[sorted.length >> 1] - 1 },
    iterations: iterations / frames,
    note,
  };
}
