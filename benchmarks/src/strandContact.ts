/**
 * Contact between strands in the batch engine: `npm run bench:strands [scene…] [--backend simd|batch] [--steps n]`. Prints for every scene the mean
 * iterations of the contact solver per step, the steps that did not converge, and the user CPU time per step. The tables of docs/notes/batch-engine.md
 * come from here.
 */
import { parseArgs } from 'node:util';
import { createWorld, type RodSpec, type Scene, type Vec3 } from '@tendril-sim/core';
import { loadSimdDer, mergedBatchModel } from '@tendril-sim/core/batch';
import { headScene } from './head.ts';
import { bySimd, hairOnHead } from './scenes.ts';

const RADIUS = 2e-4;

/** A straight hair of 12 edges. `isDamped`: with mass damping. */
function straightHair(id: string, from: Vec3, to: Vec3, { isDamped }: { readonly isDamped: boolean }): RodSpec {
  return {
    id,
    shape: { type: 'straight', from, to },
    edges: 12,
    section: { type: 'circle', radius: RADIUS },
    material: { E: 1e8, G: 4e7, density: 1300, ...(isDamped && { damping: { mass: 3 } }) },
  };
}

function sceneWith(rods: readonly RodSpec[], step: number, changes: Partial<Scene>): Scene {
  return {
    tendril: 1,
    gravity: [0, 0, -9.81],
    rods,
    time: { step, duration: 2 },
    solver: { der: { integrator: 'implicit-euler' } },
    ...changes,
  };
}

const held = (rods: readonly RodSpec[]): Scene['pins'] => rods.map(({ id }) => ({ rod: id, at: 'start' }));

/** Hairs in a pile of 5, 4, 3, 2 and 1 on a floor. */
function pile(): Scene {
  const rods = [0, 1, 2, 3, 4].flatMap((row) =>
    Array.from({ length: 5 - row }, (_, n) => {
      const [y, z] = [(2 * n + row) * RADIUS, RADIUS * (1 + Math.sqrt(3) * row)];
      return straightHair(`${row}-${n}`, [0, y, z], [0.16, y, z], { isDamped: true });
    }),
  );
  return sceneWith(rods, 1 / 240, { colliders: [{ type: 'plane', friction: 0.5 }], contact: { friction: 0.5 } });
}

/** Hairs that fall across hairs, `count` of each. */
function crossing(count: number, step: number): Scene {
  const rods = Array.from({ length: count }, (_, k) => [
    straightHair(`below ${k}`, [0, 0.004 * k, 0], [0.16, 0.004 * k, 0], { isDamped: false }),
    straightHair(`above ${k}`, [0.02 + 0.005 * k, -0.05, 5e-4], [0.02 + 0.005 * k, 0.11, 5e-4], { isDamped: false }),
  ]).flat();
  return sceneWith(rods, step, { pins: held(rods), contact: { friction: 0.3 } });
}

/** 30 hairs combed over a ball in three layers. */
function combed(step: number): Scene {
  const [ball, edges] = [0.09, 31];
  const rods = Array.from({ length: 30 }, (_, k): RodSpec => {
    const [row, column] = [Math.floor(k / 10), k % 10];
    const above = ball + 5e-4 + 3e-4 * row;
    const start = 0.5 + 0.03 * row + 0.003 * ((column * 7) % 10);
    const around = 0.0072 * column + 0.0031 * row;
    const bend = Math.PI / 2 - start;
    const points = Array.from({ length: edges + 1 }, (_, i): Vec3 => {
      const way = (0.2 * i) / edges;
      const angle = start + Math.min(bend, way / above);
      const r = above * Math.sin(angle);
      return [r * Math.cos(around), r * Math.sin(around), above * Math.cos(angle) - Math.max(0, way - above * bend)];
    });
    return { id: `hair ${k}`, shape: { type: 'points', points }, section: hairOnHead };
  });
  return sceneWith(rods, step, {
    pins: held(rods),
    colliders: [{ type: 'sphere', radius: ball, friction: 0.3 }],
    contact: { friction: 0.3, radius: 1.2e-4 },
    solver: { der: { integrator: 'implicit-euler', tolerance: 1e-3 } },
  });
}

const head = (count: number): Scene => ({
  ...headScene(count, { head: true }),
  contact: { friction: 0.3, radius: 1.2e-4 },
});

/** A scene, and the number of steps whose figures are printed. */
interface Subject {
  readonly about: string;
  readonly steps: number;
  scene(): Scene;
}

const subjects: Readonly<Record<string, Subject>> = {
  pile: { about: '15 hairs in a pile of five rows on a floor, dt = 1/240 s', steps: 12, scene: pile },
  'crossing-8': { about: '8 hairs across 8, dt = 1/240 s', steps: 24, scene: () => crossing(8, 1 / 240) },
  'crossing-4': { about: '4 hairs across 4, dt = 1/60 s', steps: 20, scene: () => crossing(4, 1 / 60) },
  combed: { about: '30 hairs combed over a ball, dt = 1/240 s', steps: 8, scene: () => combed(1 / 240) },
  'combed-60': { about: '30 hairs combed over a ball, dt = 1/60 s', steps: 8, scene: () => combed(1 / 60) },
  'head-2000': { about: '2,000 hairs on a head, dt = 1/60 s', steps: 16, scene: () => head(2000) },
};

const { values, positionals } = parseArgs({
  options: { backend: { type: 'string', default: 'simd' }, steps: { type: 'string' } },
  allowPositionals: true,
});
const { backend } = values;
const unknown = positionals.filter((name) => !(name in subjects));
if (unknown.length > 0 || (backend !== 'simd' && backend !== 'batch') || !(Number(values.steps ?? 1) >= 1)) {
  console.error('usage: npm run bench:strands [scene…] [--backend simd|batch] [--steps n]\n');
  for (const [name, { about, steps }] of Object.entries(subjects))
    console.error(`  ${name} [${steps} steps]  ${about}`);
  process.exit(2);
}

const models = [backend === 'simd' ? await loadSimdDer() : mergedBatchModel];
const columns = ['steps', 'iterations', 'unsettled', 'substeps', 'ms per step', 'at rest', 'contacts', 'overlap'];
console.log(
  `backend ${backend}; at rest: mean of the last quarter of the steps; overlap: deepest, in radii of contact\n`,
);
console.log(`${'scene'.padEnd(12)}${columns.map((name) => name.padStart(13)).join('')}`);
for (const name of positionals.length > 0 ? positionals : Object.keys(subjects)) {
  const subject = subjects[name];
  const scene = bySimd(subject.scene(), { backend });
  const world = createWorld(scene, { models });
  const count = Number(values.steps ?? subject.steps);
  let [iterations, unsettled, substeps, contacts, overlap] = [0, 0, 0, 0, 0];
  const took: number[] = [];
  for (let k = 0; k < count; k++) {
    const before = process.cpuUsage();
    const step = world.step();
    took.push(process.cpuUsage(before).user / 1000);
    substeps += step.substeps;
    iterations += step.contact?.iterations ?? 0;
    if (!step.contact?.converged) unsettled++;
    contacts = step.contact?.contacts ?? 0;
    overlap = Math.max(overlap, step.contact?.overlap ?? 0);
  }
  const mean = (list: readonly number[]): string => (list.reduce((a, b) => a + b, 0) / list.length).toFixed(1);
  const numbers = [
    `${count}`,
    (iterations / count).toFixed(1),
    `${unsettled}`,
    (substeps / count).toFixed(2),
    mean(took),
    mean(took.slice(-Math.ceil(count / 4))),
    `${contacts}`,
    (overlap / (scene.contact?.radius ?? RADIUS)).toFixed(2),
  ];
  console.log(`${name.padEnd(12)}${numbers.map((one) => one.padStart(13)).join('')}`);
}
