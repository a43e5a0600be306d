import { atan2, hypot, pow } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { goToBifurcation, walkBranch } from '../src/branches.ts';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { bendingStiffness, massDamping, numberAt, sectionNumber } from '../src/controls.ts';

/** Length and bending stiffness are 1. */
const RADIUS = 1e-3;
/** Room between rod and tube. */
const CLEARANCE = 2e-3;
const halfWaves = [1, 2, 3, 4];

/** Weight per length for which the rod buckles in m half-waves, at the smallest force of all weights: 2√(EI w/c) = 2(mπ)². */
const weightFor = (m: number, clearance: number): number => clearance * pow(m * Math.PI, 4);
const critical = (EI: number, weight: number, clearance: number): number => 2 * Math.sqrt((EI * weight) / clearance);

interface Size {
  readonly radius: number;
  readonly clearance: number;
}

/** A heavy rod on the bottom of a tube, pushed at its end by `force`. */
function scene(edges: number, m: number, force: number, { radius, clearance }: Size): SceneInput {
  return {
    tendril: 1,
    title: 'A heavy rod in a tube, pushed at its end',
    gravity: [0, 0, -1],
    rods: [
      {
        id: 'rod',
        shape: { type: 'straight', from: [0, 0, -clearance], to: [1, 0, -clearance] },
        edges,
        inextensible: true,
        section: { type: 'stiffness', EI1: 1, GJ: 1, mass: weightFor(m, clearance), radius, damping: { mass: 20 } },
      },
    ],
    pins: [
      { rod: 'rod', at: 'start', hold: 'position' },
      { rod: 'rod', at: 'end', hold: 'position', axes: ['y', 'z'] },
    ],
    loads: [{ rod: 'rod', type: 'force', at: 'end', force: [-force, 0, 0], factor: { formula: 't' } }],
    colliders: [
      {
        id: 'tube',
        type: 'capsule',
        from: [-1, 0, 0],
        to: [2, 0, 0],
        radius: radius + clearance,
        hollow: true,
        friction: 0,
      },
    ],
  };
}

/** Snakes until it has climbed to 0.6 rad of the wall. */
function snake(edges: number, m: number): { force: number; waves: number; offWall: number } {
  const size = { radius: RADIUS, clearance: CLEARANCE };
  const world = worldOf({
    ...scene(edges, m, critical(1, weightFor(m, CLEARANCE), CLEARANCE), size),
    statics: { from: 0.8, to: 1.3, follow: 'branch', stride: 0.03 },
  });
  const { parameter: force } = goToBifurcation(world);
  let [waves, offWall] = [0, 0];
  walkBranch(world, {
    start: 'across',
    look() {
      const { nodePosition: x } = world.samples[0];
      let [climbed, changes] = [0, 0];
      for (let i = 1; i < edges; i++) {
        climbed = Math.max(climbed, Math.abs(atan2(x[3 * i + 1], -x[3 * i + 2])));
        if (i > 1 && x[3 * i + 1] * x[3 * i - 2] < 0) changes++;
        offWall = Math.max(offWall, hypot(x[3 * i + 1], x[3 * i + 2]) / CLEARANCE - 1);
      }
      waves = changes + 1;
      return climbed > 0.6 ? 'stop' : undefined;
    },
  });
  return { force, waves, offWall };
}

/** The scene that one sees: wider, and pushed by this share of the critical force. */
const SEEN = { radius: 0.01, clearance: 0.03, waves: 5, share: 1.3 };

export const rodInTube: Case = defineCase({
  id: 'rod-in-tube',
  topics: ['contact', 'theory'],
  finish: 'steel',
  title: 'A heavy rod in a tube snakes along its bottom',
  claim:
    'A rod that lies in a horizontal tube, like a drill string in its hole, is pushed at one end. Its weight keeps it straight up to the force 2√(EI w/c) of Paslay and Bogy; beyond it snakes along the bottom of the tube, in the number of waves of the theory, and stays on the wall.',
  group: 'contact',
  source: 'Paslay and Bogy 1964; derivation on the page',
  models: ['der'],
  quick: [20, 40],
  full: [20, 40],
  controls: [
    {
      path: ['loads', 0, 'force', 0],
      label: 'Force at the end',
      symbol: 'F',
      unit: 'N',
      low: 0,
      high: 1200,
      factor: -1,
      threshold: (at) => {
        const room = numberAt(at, ['colliders', 0, 'radius']) - numberAt(at, ['rods', 0, 'section', 'radius']);
        const force = critical(sectionNumber(at, 'EI1'), sectionNumber(at, 'mass'), room);
        return { at: force, what: `snakes above ${force.toFixed(0)} N` };
      },
    },
    bendingStiffness({ low: 0.5, high: 2 }),
    massDamping({ high: 100 }),
  ],
  scene: () => {
    const force = SEEN.share * critical(1, weightFor(SEEN.waves, SEEN.clearance), SEEN.clearance);
    const pushed = scene(80, SEEN.waves, force, SEEN);
    return {
      ...pushed,
      // a breath to one side
      loads: [
        { ...pushed.loads?.[0], factor: { formula: 'clamp(t, 0, 1)' } } as NonNullable<SceneInput['loads']>[number],
        { type: 'force', rod: 'rod', at: { u: 0.1 }, force: [0, 5, 0], factor: { formula: 'clamp(1 - t, 0, 1)' } },
      ],
      time: { duration: 3, step: 0.005 },
      output: { every: 0.03 },
    };
  },
  measure(n) {
    const out: Record<string, number> = {};
    for (const m of halfWaves) {
      const { force, waves, offWall } = snake(n, m);
      const name = `${m} half-wave${m > 1 ? 's' : ''}`;
      out[`${name}, force over theory`] = force;
      out[`${name}, number of them`] = waves;
      out[`${name}, farthest outside the wall over the clearance`] = offWall;
    }
    return out;
  },
  expect: Object.fromEntries(
    halfWaves.flatMap((m) => {
      const name = `${m} half-wave${m > 1 ? 's' : ''}`;
      return [
        [
          `${name}, force over theory`,
          // the errors of the discrete rod's bending and of its slope cancel to second order, where the force is least
          { value: 1, tolerance: (n: number) => 1e-5 + pow(m / n, 4), order: 3, floor: 1e-5 },
        ],
        [`${name}, number of them`, { value: m, tolerance: 0 }],
        [`${name}, farthest outside the wall over the clearance`, { atMost: 1e-4 }],
      ];
    }),
  ),
});
