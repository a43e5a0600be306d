import { cos, sin } from '@tendril/core/math';
import type { SceneInput } from '@tendril/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { rodDistance } from '../src/contact.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const RADIUS = 0.01;
const WIRE = 0.001;
const LINKS = 5;
const G = 9.81;

/** Open links, alternately upright and lying, each bent from a wire with a gap of 40° at its side; held at the ends. */
function scene(edges: number, pull: number, duration: number): SceneInput {
  const gap = (40 * Math.PI) / 180;
  const rods: SceneInput['rods'][number][] = [];
  // a little slack: the nodes of an arc lie on its circle, and edges inside
  const spacing = 2 * RADIUS - 2.5 * WIRE;
  for (let k = 0; k < LINKS; k++) {
    const x = k * spacing;
    // from the gap, which lies across the chain, once round
    const from = 0.5 * Math.PI + 0.5 * gap;
    const [c, s] = [cos(from), sin(from)];
    const lying = k % 2 === 1;
    const at = (a: number, b: number): [number, number, number] => (lying ? [a, b, 0] : [a, 0, b]);
    const [px, pq] = [x + RADIUS * c, RADIUS * s];
    rods.push({
      id: `link ${k}`,
      shape: {
        type: 'arc',
        from: at(px, pq),
        tangent: at(-s, c),
        normal: at(-c, -s),
        radius: RADIUS,
        angle: 2 * Math.PI - gap,
      },
      edges,
      section: { type: 'circle', radius: WIRE },
      material: { E: '60 MPa', nu: 0.4, density: 2000, damping: { mass: 10, stiffness: '0.1 ms' } },
    });
  }
  // the outermost points of the first and the last link: a quarter from the gap, and three quarters
  const quarter = (0.5 * Math.PI - 0.5 * gap) / (2 * Math.PI - gap);
  const ends = [
    ['link 0', quarter, -1],
    [`link ${LINKS - 1}`, 1 - quarter, 1],
  ] as const;
  return {
    tendril: 1,
    title: 'A chain of open links, pulled until it breaks',
    gravity: [0, 0, -G],
    rods,
    pins: ends.map(([rod, u, side]) => ({
      rod,
      at: { u },
      path: {
        interpolation: 'linear' as const,
        keys: [{ time: 0.4 }, { time: duration, offset: [0.5 * side * pull, 0, 0] as [number, number, number] }],
      },
    })),
    contact: { friction: 0.2 },
    time: { duration, step: 1 / 480 },
    output: { every: 0.02 },
  };
}

export const hangingChain: Case = defineCase({
  id: 'hanging-chain',
  title: 'A hanging chain of open links, pulled until it breaks',
  source: 'Bergou et al. 2008, Fig. 10; statics: the ends carry the weight',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 10',
      claim: 'A chain of curved rods hangs under gravity; its ends are pulled apart until the chain breaks.',
      missing: 'Five links in place of the paper’s thirteen.',
      timed: {
        row: 'Fig. 10',
        scene: () => scene(30, 0, 1.2),
        from: 0.3,
        remark: 'five links of 31 nodes, with contact, in one step',
      },
    },
  ],
  quick: [20],
  full: [20, 40],
  scene: () => scene(24, 0.08, 1.2),
  measure(n) {
    const world = worldOf(scene(n, 0.08, 1.2));
    const meter = createOverlapMeter(world);
    let carried = 0;
    let whole = 0;
    const distances = (): number[] =>
      Array.from({ length: LINKS - 1 }, (_, k) => rodDistance(world, k, k + 1) / (2 * WIRE));
    let broken = 0;
    for (let k = 0; k < 720 && !broken; k++) {
      world.step();
      meter.look();
      if (k % 8 === 0 && Math.max(...distances()) > 3) broken = 1;
      // the mean over the last quarter of a second before the pull
      if (k >= 72 && k < 192)
        carried += world.reactions().reduce((sum, { force }) => sum + force[2], 0) / (120 * G * world.momentum().mass);
      if (k === 191) whole = Math.max(...distances());
    }
    return {
      'ends carry / weight': carried,
      'links touch before (distance / thickness)': whole,
      'breaks when pulled by 8 cm': broken,
      'penetration / radius, until it breaks': meter.deepest,
    };
  },
  expect: {
    'ends carry / weight': { value: 1, tolerance: 0.02 },
    'links touch before (distance / thickness)': { value: 1, tolerance: 0.05 },
    'breaks when pulled by 8 cm': { value: 1, tolerance: 0 },
    'penetration / radius, until it breaks': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
