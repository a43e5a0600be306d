import { cos, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, worldOf } from '../src/case.ts';
import { gravity, inEveryRod, youngsModulus } from '../src/controls.ts';
import { drawPerson } from '../src/drawnHead.ts';

const STRANDS = 9;
/** Angle from the x axis to where the face looks [rad]. */
const facing = -1.3;
const hairColor = '#4c3021';

type Vector = [number, number, number];

interface Key {
  readonly time: number;
  readonly rotation: Vector;
}

/** A nod, face down, and a turn to the left, as a rotation vector. */
const turned = (nod: number, turn: number): Vector => [-nod * sin(facing), nod * cos(facing), turn];

/** A point in the plane of symmetry of the head: so far ahead, so high. */
const ahead = (x: number, z: number): Vector => [x * cos(facing), x * sin(facing), z];

/** Nine curls of fifteen links over a forehead; `nods`: the head nods and shakes. */
function scene(edges: number, natural: 'initial' | 'equilibrium', nods: boolean, E = '300 MPa'): SceneInput {
  const center = 0.5 * (STRANDS - 1);
  const rods = Array.from({ length: STRANDS }, (_, k) => {
    const angle = facing + 0.16 * (k - center);
    return {
      id: `curl${k}`,
      model: 'strand' as const,
      shape: {
        type: 'helix' as const,
        center: [0.1 * cos(angle), 0.1 * sin(angle), 0.05] as Vector,
        axis: [0.25 * cos(angle), 0.25 * sin(angle), -1] as Vector,
        start: [cos(angle), sin(angle), 0.2] as Vector,
        radius: 0.008 + 0.001 * (k % 3),
        pitch: 0.03,
        turns: 1.5,
        handedness: k % 2 ? ('left' as const) : ('right' as const),
      },
      edges,
      natural,
      color: hairColor,
      section: { type: 'ellipse' as const, a: '0.35 mm', b: '0.25 mm' },
      material: { E, nu: 0.3, density: 1300, damping: { stiffness: 0.01 } },
    };
  });
  const keys: Key[] = [
    { time: 0, rotation: [0, 0, 0] },
    { time: 0.25, rotation: turned(0.3, 0.4) },
    { time: 0.5, rotation: turned(-0.15, -0.4) },
    { time: 0.75, rotation: turned(0.2, 0.2) },
    { time: 1, rotation: [0, 0, 0] },
  ];
  return {
    tendril: 1,
    title: 'Curly bangs',
    gravity: [0, 0, -9.81],
    rods,
    ...(nods ? onHead(keys) : { pins: rods.map(({ id }) => ({ rod: id, at: 'start' as const })) }),
    time: { duration: 2, step: 1 / 120 },
    output: { every: 1 / 60 },
  };
}

/** Curls on a head that moves about its middle. The head and its short hair are drawn: they touch nothing. */
function onHead(keys: readonly Key[]): Pick<SceneInput, 'bodies' | 'welds' | 'colliders'> {
  const path = { keys: [...keys] };
  return {
    bodies: [{ id: 'head', position: [0, 0, 0], path }],
    welds: Array.from({ length: STRANDS }, (_, k) => ({ rod: `curl${k}`, at: 'start', body: 'head' })),
    colliders: [
      ...drawPerson('person', { at: ahead(-0.008, -0.012), facing, size: 1.12, path, pivot: [0, 0, 0] }),
      {
        id: 'hair',
        rods: [],
        type: 'ellipsoid',
        color: hairColor,
        radii: [0.112, 0.112, 0.085],
        position: ahead(-0.014, 0.058),
        rotation: turned(-0.3, 0),
        path,
        pivot: [0, 0, 0],
      },
    ],
  };
}

/** Farthest that a node went after one second [m], and whether anything was told about stability. */
function settle(edges: number, natural: 'initial' | 'equilibrium'): { moved: number; unstable: number } {
  const world = worldOf(scene(edges, natural, false));
  const start = world.samples.map(({ nodePosition }) => nodePosition.slice());
  for (let k = 0; k < 120; k++) world.step();
  let moved = 0;
  world.samples.forEach(({ nodePosition }, r) => {
    for (let i = 0; i < nodePosition.length; i++) moved = Math.max(moved, Math.abs(nodePosition[i] - start[r][i]));
  });
  return { moved, unstable: world.warnings.filter((text) => text.includes('unstable')).length };
}

/** Mean drop of the tips at rest under gravity [m], where the curls are natural as they are drawn. */
function sag(edges: number, model: 'strand' | 'der'): number {
  const drawn = scene(edges, 'initial', false);
  const world = worldOf({ ...drawn, rods: drawn.rods?.map((rod) => ({ ...rod, model })) } as SceneInput);
  const start = world.samples.map(({ nodePosition }) => nodePosition.slice());
  equilibrium(world);
  const drops = world.samples.map(({ nodePosition: x }, r) => start[r][x.length - 1] - x[x.length - 1]);
  return drops.reduce((sum, drop) => sum + drop, 0) / drops.length;
}

export const curlyBangs: Case = defineCase({
  id: 'curly-bangs',
  topics: ['hair'],
  title: 'Curly bangs: a rest shape that gravity does not change',
  claim:
    'With the natural shape from inverse dynamics, styled curls hang as they were styled, to rounding. Without it, they sag as elastic rods do (der, 60 edges: 0.84 mm), with second order. The equilibrium is found stable, and after a shake of the head the curls come back to the styled shape.',
  group: 'hadap2006',
  colorBy: 'twist',
  source: 'figure 8 and section 6.6 of Hadap 2006',
  models: ['strand'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 8',
      claim: 'The rest shape is adjusted so that gravity does not change the styled shape; stiff curls are stable.',
      panels: {
        aspect: 1,
        look: { azimuth: 20, elevation: 8, zoom: 0.8 },
        moments: [
          { time: 0, caption: 'The styled shape, and the same in equilibrium under gravity.' },
          { time: 0.5, caption: 'The head nods and shakes.' },
          { time: 2, caption: 'Later.' },
        ],
      },
    },
  ],
  quick: [15],
  full: [15, 30],
  controls: [
    youngsModulus({ low: 3e7, high: 3e9, rods: 9 }),
    {
      ...inEveryRod(9, ['material', 'damping', 'stiffness']),
      label: 'Damping of the material',
      symbol: 'τ',
      unit: 's',
      low: 0,
      high: 0.05,
    },
    gravity({ high: 30 }),
  ],
  scene: () => scene(15, 'equilibrium', true),
  measure(n) {
    const kept = settle(n, 'equilibrium');
    const shaken = worldOf(scene(n, 'equilibrium', true));
    const start = shaken.samples.map(({ nodePosition }) => nodePosition.slice());
    let iterations = 0;
    for (let k = 0; k < 120; k++) iterations += shaken.step().iterations;
    for (let k = 0; k < 360; k++) shaken.step();
    const back = Math.max(
      ...shaken.samples.map(({ nodePosition }, r) =>
        Math.max(...nodePosition.map((x, i) => Math.abs(x - start[r][i]))),
      ),
    );
    return {
      'moved by gravity, zero-gravity rest shape [m]': kept.moved,
      'sag of the tips without it, over that of elastic rods': sag(n, 'strand') / sag(60, 'der'),
      'curls whose equilibrium is unstable': kept.unstable,
      'away from the styled shape 3 s after a shake of the head [m]': back,
      'Newton iterations per strand and step': iterations / 120 / STRANDS,
    };
  },
  expect: {
    'moved by gravity, zero-gravity rest shape [m]': { value: 0, tolerance: 1e-9 },
    'sag of the tips without it, over that of elastic rods': { value: 1, tolerance: (n) => 9 / (n * n), order: 1.7 },
    'curls whose equilibrium is unstable': { value: 0, tolerance: 0 },
    'away from the styled shape 3 s after a shake of the head [m]': { value: 0, tolerance: 1e-4 },
    'Newton iterations per strand and step': { atMost: 5 },
  },
});
