import { cos, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { rodDistance } from '../src/contact.ts';
import { youngsModulus } from '../src/controls.ts';
import { createOverlapMeter } from '../src/overlap.ts';

const RADIUS = 0.01;
const WIRE = 0.001;
const G = 9.81;

/** How a chain is hung and pulled: each end first moves in by `slack`, and goes out by `pull` from `hold` to `duration`. */
interface Plan {
  readonly slack: number;
  readonly hold: number;
  readonly pull: number;
  readonly duration: number;
}

/** The paper's 13 links sag between their ends; five are quick, and hang nearly straight. */
const planOf = (links: number): Plan =>
  links > 5
    ? { slack: 0.04, hold: 1.2, pull: 0.08, duration: 2.2 }
    : { slack: 0, hold: 0.4, pull: 0.04, duration: 1.2 };

/** Open links, alternately upright and lying, each bent from a wire with a gap of 40° at its side; held at the ends. */
function scene(links: number, edges: number, { slack, hold, pull, duration }: Plan = planOf(links)): SceneInput {
  const gap = (40 * Math.PI) / 180;
  const rods: SceneInput['rods'][number][] = [];
  // a little slack: the nodes of an arc lie on its circle, and edges inside
  const spacing = 2 * RADIUS - 2.5 * WIRE;
  for (let k = 0; k < links; k++) {
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
    [`link ${links - 1}`, 1 - quarter, 1],
  ] as const;
  const along = (x: number): [number, number, number] => [x, 0, 0];
  return {
    tendril: 1,
    title: 'A chain of open links, pulled until it breaks',
    gravity: [0, 0, -G],
    rods,
    pins: ends.map(([rod, u, side]) => ({
      rod,
      at: { u },
      path:
        slack > 0
          ? {
              interpolation: 'smooth' as const,
              keys: [
                { time: 0 },
                { time: 0.5, offset: along(-side * slack) },
                { time: hold, offset: along(-side * slack) },
                { time: duration, offset: along(side * pull) },
              ],
            }
          : {
              interpolation: 'linear' as const,
              keys: [{ time: hold }, { time: duration, offset: along(side * pull) }],
            },
    })),
    contact: { friction: 0.2 },
    time: { duration, step: 1 / 480 },
    output: { every: 0.02 },
  };
}

export const hangingChain: Case = defineCase({
  id: 'hanging-chain',
  topics: ['contact'],
  finish: 'steel',
  title: 'A hanging chain of open links, pulled until it breaks',
  claim:
    'A chain of open links, each a curved elastic wire with free ends, hangs in its contacts; its ends are pulled apart until a link opens and the chain breaks.',
  group: 'bergou2008',
  source: 'Bergou et al. 2008, Fig. 10; statics: the ends carry the weight',
  models: ['der'],
  papers: [
    {
      paper: 'bergou2008',
      figure: 'Fig. 10',
      claim: 'A chain of curved rods hangs under gravity; its ends are pulled apart until the chain breaks.',
      remark: 'The scene and `check --full` have the paper’s thirteen links; the quick check has five.',
      panels: {
        aspect: 2.4,
        columns: 1,
        look: { azimuth: -12, elevation: 12 },
        moments: [
          { time: 1.15, caption: 'Hanging from both ends, as in the paper.' },
          { time: 1.7, caption: 'The ends are pulled apart.' },
          { time: 2, caption: 'The chain has broken.' },
        ],
      },
      timed: {
        row: 'Fig. 10',
        scene: () => scene(5, 30, { slack: 0, hold: 1, pull: 0, duration: 1.2 }),
        from: 0.3,
        remark: 'five links of 31 nodes, with contact, in one step',
      },
    },
  ],
  // links
  quick: [5],
  full: [5, 13],
  // until it has broken
  controls: [
    {
      path: ['pins', 0, 'path', 'keys', 3, 'offset', 0],
      label: 'Left end pulled by',
      symbol: 'D',
      unit: 'm',
      low: 0,
      high: 0.12,
      factor: -1,
    },
    youngsModulus({ low: 6e6, high: 6e8, rods: 13 }),
    { path: ['contact', 'friction'], label: 'Friction', symbol: 'µ', low: 0, high: 1 },
  ],
  scene: () => ({ ...scene(13, 20), time: { duration: 2, step: 1 / 720 } }),
  measure(n) {
    const world = worldOf(scene(n, 20));
    const { hold, duration } = planOf(n);
    const meter = createOverlapMeter(world);
    const [rest, end] = [480 * (hold - 0.25), 480 * hold];
    let [carried, whole, broken] = [0, 0, 0];
    const distances = (): number[] =>
      Array.from({ length: n - 1 }, (_, k) => rodDistance(world, k, k + 1) / (2 * WIRE));
    for (let k = 0; k < 480 * duration + 144 && !broken; k++) {
      world.step();
      meter.look();
      if (k % 8 === 0 && Math.max(...distances()) > 3) broken = 1;
      // the mean over the last quarter of a second before the pull
      if (k >= rest && k < end)
        carried +=
          world.reactions().reduce((sum, { force }) => sum + force[2], 0) / ((end - rest) * G * world.momentum().mass);
      if (k === end - 1) whole = Math.max(...distances());
    }
    return {
      'ends carry / weight': carried,
      'links touch before (distance / thickness)': whole,
      'breaks when pulled': broken,
      'penetration / radius, until it breaks': meter.deepest,
    };
  },
  expect: {
    // thirteen links still swing
    'ends carry / weight': { value: 1, tolerance: (n) => (n > 5 ? 0.04 : 0.02) },
    'links touch before (distance / thickness)': { value: 1, tolerance: 0.05 },
    'breaks when pulled': { value: 1, tolerance: 0 },
    'penetration / radius, until it breaks': { value: 0, tolerance: 0.05, scale: 1 },
  },
});
