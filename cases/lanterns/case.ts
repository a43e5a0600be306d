import type { ModelId } from '@tendril-sim/core';
import { atan2, cos, hypot, sin, tan } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, worldOf } from '../src/case.ts';
import { gravity, youngsModulus } from '../src/controls.ts';
import { drawFlower, drawLantern, drawLeaf, LANTERN } from './scenery.ts';

const GRAVITY = 9.81;
/** A cord with a polar inertia of its own [SI]. */
const CORD = { length: 0.5, EI: 2e-4, GJ: 2e-4, mass: 0.01, inertia: 2e-5 };
/** The lantern, with its centre of mass so far below the end of the cord. */
const BODY = { mass: 0.2, inertia: [2e-4, 2e-4, 1e-4] as [number, number, number], below: 0.1 };
const STEP = 0.01;
/** How the hand turns [rad], every so often [s]. */
const TWIST = [0, 1, -1, 0.8, 0];
const BEAT = 0.5;

/** A lantern on a cord whose upper end somebody turns. */
function onCord(edges: number, model: ModelId, turns: boolean): SceneInput {
  return {
    tendril: 1,
    gravity: [0, 0, -GRAVITY],
    rods: [
      {
        id: 'cord',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, -CORD.length] },
        edges,
        inextensible: true,
        section: {
          type: 'stiffness',
          EI1: CORD.EI,
          GJ: CORD.GJ,
          mass: CORD.mass,
          inertia: CORD.inertia,
          radius: 0.002,
        },
      },
    ],
    bodies: [{ id: 'lantern', mass: BODY.mass, inertia: BODY.inertia, position: [0, 0, -CORD.length - BODY.below] }],
    welds: [{ rod: 'cord', at: 'end', body: 'lantern' }],
    pins: [
      {
        rod: 'cord',
        at: 'start',
        ...(turns && { path: { keys: TWIST.map((twist, k) => ({ time: k * BEAT, offset: [0, 0, 0], twist })) } }),
      },
    ],
    time: { duration: 8, step: STEP },
  };
}

type Vector = [number, number, number];
type Rod = NonNullable<SceneInput['rods']>[number];

const EDGES = 25;
/** Nodes of the bough, which rises, then bends over. */
const boughAt = (node: number): Vector => {
  const u = node / EDGES;
  return [1.5 * (u - 0.5), 0.1 * sin(3 * u), 1.2 + 0.28 * sin(2.2 * u)];
};
const wood = { E: '4 GPa', nu: 0.3, density: 600, damping: { mass: 0.2, stiffness: 0.004 } };

/** Lanterns: node of the bough, length of the cord, colour, and when the wind turns it [s]. */
const lanternsOnBough = [
  { node: 5, length: 0.3, color: '#c2281d', gust: 0.4 },
  { node: 12, length: 0.14, color: '#e08a2b', gust: 0.8 },
  { node: 18, length: 0.32, color: '#c2281d', gust: 1.3 },
  { node: 24, length: 0.16, color: '#d6452a', gust: 1.7 },
];
/** Flowers and leaves on short stalks: node of the bough, angle about it, and size. */
const onStalks = Array.from({ length: 18 }, (_, k) => ({
  node: 4 + k + (k > 8 ? 1 : 0),
  angle: 2.4 * k,
  size: k % 3 === 2 ? 0.13 : 0.055 - 0.007 * (k % 2),
  isLeaf: k % 3 === 2,
}));

/** A bough in blossom from which lanterns hang, shaken at its thick end, and the wind turns the lanterns. */
function scene(): SceneInput {
  const rods: Rod[] = [
    {
      id: 'bough',
      model: 'strand',
      shape: { type: 'points', points: Array.from({ length: EDGES + 1 }, (_, k) => boughAt(k)) },
      natural: 'equilibrium',
      section: {
        type: 'circle',
        radius: {
          along: [
            [0, 0.018],
            [1, 0.006],
          ],
        },
      },
      material: wood,
      color: '#5b4030',
    },
  ];
  const bodies: NonNullable<SceneInput['bodies']>[number][] = [];
  const colliders: NonNullable<SceneInput['colliders']>[number][] = [];
  const hang = (id: string, rod: Rod, body: Omit<(typeof bodies)[number], 'id'>): void => {
    rods.push(rod);
    bodies.push({ id, ...body } as (typeof bodies)[number]);
  };
  lanternsOnBough.forEach(({ node, length, color }, k) => {
    const id = `lantern ${k + 1}`;
    const [x, y, z] = boughAt(node);
    const cord: Rod = {
      id: `cord ${k + 1}`,
      model: 'strand',
      parent: { rod: 'bough', at: { node } },
      shape: { type: 'straight', from: [x, y, z], to: [x, y, z - length] },
      edges: 6,
      section: {
        type: 'stiffness',
        EI1: 5e-4,
        GJ: 6e-4,
        mass: 0.01,
        inertia: 1e-7,
        radius: 0.003,
        damping: { mass: 0.1, stiffness: 0.02 },
      },
      color: '#3a2a1e',
    };
    hang(id, cord, { mass: 0.15, inertia: [1.2e-3, 1.2e-3, 1e-3], position: [x, y, z - length - LANTERN.height / 2] });
    colliders.push(...drawLantern(id, color));
  });
  onStalks.forEach(({ node, angle, size, isLeaf }, k) => {
    const id = `${isLeaf ? 'leaf' : 'flower'} ${k + 1}`;
    const from = boughAt(node);
    const axis: Vector = [0.35, 0.84 * sin(angle), 0.84 * cos(angle)].map((c) => c / hypot(0.35, 0.84)) as Vector;
    const to = from.map((c, i) => c + 0.06 * axis[i]) as Vector;
    const stalk: Rod = {
      id: `stalk ${k + 1}`,
      model: 'strand',
      parent: { rod: 'bough', at: { node } },
      shape: { type: 'straight', from, to },
      edges: 3,
      natural: 'equilibrium',
      section: { type: 'circle', radius: 0.0018 },
      material: { ...wood, E: '0.3 GPa' },
      color: '#6d7a35',
    };
    const mass = isLeaf ? 2e-3 : 4e-3;
    hang(id, stalk, { mass, inertia: [1, 1, 1].map(() => 0.2 * mass * (size * size)) as Vector, position: to });
    const color = k % 2 === 0 ? '#f0a3b5' : '#f6c9d2';
    colliders.push(...(isLeaf ? drawLeaf(id, axis, size, '#5f8a3a') : drawFlower(id, axis, size, color)));
  });
  return {
    tendril: 1,
    title: 'Lanterns on a bough in blossom',
    gravity: [0, 0, -GRAVITY],
    rods,
    bodies,
    welds: bodies.map(({ id }, k) => ({ rod: rods[k + 1].id as string, at: 'end' as const, body: id })),
    pins: [
      {
        rod: 'bough',
        at: 'start',
        path: {
          keys: [
            { time: 0, rotation: [0, 0, 0] },
            { time: 0.5, rotation: [0, 0.015, 0.06] },
            { time: 1, rotation: [0, -0.02, -0.06] },
            { time: 1.5, rotation: [0, 0.015, 0.04] },
            { time: 2, rotation: [0, 0, 0] },
          ],
        },
      },
    ],
    colliders,
    loads: lanternsOnBough.map(({ gust }, k) => ({
      type: 'body-torque' as const,
      body: `lantern ${k + 1}`,
      torque: [0, 0, k % 2 === 0 ? 0.004 : -0.004] as Vector,
      factor: { formula: `exp(-((t - ${gust})/0.3)^2)` },
    })),
    time: { duration: 8, step: 0.01 },
    output: { every: 0.04 },
  };
}

/** A shaft that turns a body at its end: βℓ tan(βℓ) = ratio of the polar inertias, one root for each `mode`. */
function wavenumber(mode: number): number {
  const { length, inertia } = CORD;
  const ratio = (inertia * length) / BODY.inertia[2];
  let low = mode * Math.PI;
  let high = low + Math.PI / 2;
  for (let k = 0; k < 200; k++) {
    const x = 0.5 * (low + high);
    if (x * tan(x) < ratio) low = x;
    else high = x;
  }
  return low / length;
}

/** ω = β √(GJ/I) */
const frequency = (mode: number): number => wavenumber(mode) * Math.sqrt(CORD.GJ / CORD.inertia);
const twistFrequency = (): number => frequency(0);

/** Second derivatives at the keys of the spline through TWIST that starts and ends at rest. */
function bends(): number[] {
  const last = TWIST.length - 1;
  const m = TWIST.map(() => 0);
  const chord = (i: number): number => (TWIST[i + 1] - TWIST[i]) / BEAT;
  for (let sweep = 0; sweep < 60; sweep++) {
    m[0] = 0.5 * ((6 / BEAT) * chord(0) - m[1]);
    for (let i = 1; i < last; i++) m[i] = 0.25 * ((6 / BEAT) * (chord(i) - chord(i - 1)) - m[i - 1] - m[i + 1]);
    m[last] = 0.5 * ((-6 / BEAT) * chord(last - 1) - m[last - 1]);
  }
  return m;
}

/** How far the end turns after the hand has stopped: three modes, each driven by the hand's acceleration. */
function turnedBy(): number {
  const { length, inertia } = CORD;
  const m = bends();
  const parts = [0, 1, 2].map((mode) => {
    const omega = frequency(mode);
    const beta = wavenumber(mode);
    const x = beta * length;
    // of φ = sin βs: (∫ι φ + I φ(ℓ)) φ(ℓ) / (∫ι φ² + I φ(ℓ)²)
    const body = BODY.inertia[2] * sin(x);
    const driven = (inertia * (1 - cos(x))) / beta + body;
    const share = (driven * sin(x)) / (inertia * (length / 2 - sin(2 * x) / (4 * beta)) + body * sin(x));
    let [c, s] = [0, 0];
    const points = 4000;
    for (let k = 0; k < points; k++) {
      const t = ((TWIST.length - 1) * BEAT * (k + 0.5)) / points;
      const i = Math.floor(t / BEAT);
      const force = -(m[i] + (m[i + 1] - m[i]) * (t / BEAT - i)) * (((TWIST.length - 1) * BEAT) / points);
      c += cos(omega * t) * force;
      s += sin(omega * t) * force;
    }
    return (t: number): number => (share * (sin(omega * t) * c - cos(omega * t) * s)) / omega;
  });
  let most = 0;
  for (let k = 201; k <= 800; k++)
    most = Math.max(most, Math.abs(parts.reduce((sum, part) => sum + part(0.01 * k), 0)));
  return most;
}

/** Period of the lantern's turn about the vertical after the hand has turned, and by how much d1 fails to be a unit normal. */
function listen(edges: number, model: ModelId): { period: number; frame: number; amplitude: number } {
  const world = worldOf(onCord(edges, model, true));
  const crossings: number[] = [];
  let before = 0;
  let amplitude = 0;
  let frame = 0;
  for (let k = 1; k <= 800; k++) {
    world.step();
    if (k <= 200) continue;
    const { edgeDirector: d, edgeTangent: t } = world.samples[0];
    const { rotation } = world.bodies[0].pose;
    const angle = atan2(rotation[3], rotation[0]);
    amplitude = Math.max(amplitude, Math.abs(angle));
    if (before < 0 && angle >= 0) crossings.push(k - angle / (angle - before));
    before = angle;
    for (let i = 0; i < 3 * edges; i += 3)
      frame = Math.max(
        frame,
        Math.abs(d[i] * t[i] + d[i + 1] * t[i + 1] + d[i + 2] * t[i + 2]),
        Math.abs(hypot(d[i], d[i + 1], d[i + 2]) - 1),
      );
  }
  const periods = crossings.length - 1;
  return { period: (STEP * (crossings[periods] - crossings[0])) / periods, frame, amplitude };
}

function findTwistFrequency(edges: number, model: ModelId): number {
  const modes = worldOf(onCord(edges, model, false)).modes(6)[0];
  return (
    modes.omega.find(
      (_, k) =>
        Math.max(...modes.shapes[k].edgeTwist.map(Math.abs)) > 0.99 &&
        Math.max(...modes.shapes[k].nodeDisplacement.map(Math.abs)) < 1e-3,
    ) ?? 0
  );
}

export const lanterns: Case = defineCase({
  id: 'lanterns',
  topics: ['art'],
  finish: 'wood',
  title: 'Lanterns and flowers on a bough: bodies that swing and turn',
  claim:
    'A strand carries bodies that turn with its frame: a lantern on a cord goes on turning after the hand has stopped, at the frequency of a shaft with a body at its end, and the frames along the cord stay orthonormal to rounding.',
  group: 'hadap2006',
  source: 'figure 1 of Hadap 2006; shaft with a body at its end',
  models: ['strand'],
  papers: [
    {
      paper: 'hadap2006',
      figure: 'Fig. 1',
      claim: 'Coordinate frames along the strand are stable and consistent, and a heavy tip twists by itself.',
      panels: {
        aspect: 1.2,
        look: { zoom: 1.2 },
        moments: [
          { time: 0, caption: 'At rest.' },
          { time: 3, caption: 'The lanterns swing and turn on their stalks.' },
          { time: 8, caption: 'Later.' },
        ],
      },
    },
  ],
  quick: [5, 10],
  full: [5, 10, 20],
  controls: [
    {
      path: ['loads', 0, 'torque', 2],
      label: 'Turn given to the first lantern',
      symbol: 'M',
      unit: 'N·m',
      low: -0.02,
      high: 0.02,
    },
    youngsModulus({ low: 4e8, high: 4e10 }),
    gravity({ high: 30 }),
  ],
  scene,
  measure(n) {
    const { period, frame, amplitude } = listen(n, 'strand');
    const other = listen(n, 'der');
    return {
      'frequency of the twist': findTwistFrequency(n, 'strand'),
      'frequency of the twist by der': findTwistFrequency(n, 'der'),
      'period of the twist after a turn of the hand': period,
      'period by der': other.period,
      'turned by it [rad]': amplitude,
      'turned by it by der [rad]': other.amplitude,
      'largest deviation of a frame from orthonormal': frame,
    };
  },
  expect: {
    'frequency of the twist': { value: twistFrequency(), tolerance: (n) => 0.01 / (n * n), order: 1.8 },
    'frequency of the twist by der': { value: twistFrequency(), tolerance: (n) => 0.01 / (n * n), order: 1.8 },
    'period of the twist after a turn of the hand': { value: (2 * Math.PI) / twistFrequency(), tolerance: 0.005 },
    'period by der': { value: (2 * Math.PI) / twistFrequency(), tolerance: 0.005 },
    // links of strand bend by tan(θ/2): second order in the angle of each
    'turned by it [rad]': { value: turnedBy(), scale: 1, tolerance: (n) => 0.5 / (n * n), order: 1.6 },
    'turned by it by der [rad]': { value: turnedBy(), scale: 1, tolerance: 0.002 },
    'largest deviation of a frame from orthonormal': { value: 0, tolerance: 1e-12 },
  },
});
