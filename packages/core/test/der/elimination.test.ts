/** A rod taken out towards its welds, piece by piece, must leave what it leaves when it is taken out as it is numbered. */
import { describe, expect, it } from 'vitest';
import { createBodyPose, type RigidBody } from '../../src/bodies/body.ts';
import { addEntry, clearBand, fixUnknown } from '../../src/linalg/bandMatrix.ts';
import { factorDense, solveDense } from '../../src/linalg/dense.ts';
import { BODY_MEMORY, createDerBody, type DerBody, initializeBody } from '../../src/models/der/body.ts';
import { bodyParts } from '../../src/models/der/bodyParts.ts';
import { eliminate, reduceRight, substituteBack } from '../../src/models/der/elimination.ts';
import { writeHeldTorque } from '../../src/models/der/held.ts';
import { writeRightSide } from '../../src/models/der/newton.ts';
import { createWorkspace, evaluateStage, type Stage, setPenalties } from '../../src/models/der/stage.ts';
import { createSystem } from '../../src/models/der/system.ts';
import { startOuter } from '../../src/models/der/weldedNewton.ts';
import { assembleTies, measureLevers, type System } from '../../src/models/der/welds.ts';
import type { Pin, Rod } from '../../src/scene/compiled.ts';
import { createRandom, makeDerRod, randomRod } from './rods.ts';

type Hold = 'frame' | 'free' | 'hinge';

function holdNode(rod: Rod, node: number, orientation: Hold): Pin {
  const { nodePosition: x, nodeCount } = rod;
  const around = [-1, 1].map((k) =>
    rod.closed ? (node + k + nodeCount) % nodeCount : Math.max(0, Math.min(nodeCount - 1, node + k)),
  );
  const along = [0, 1, 2].map((k) => x[3 * around[1] + k] - x[3 * around[0] + k]);
  const size = Math.hypot(...along);
  const t = along.map((a) => a / size);
  const across = [t[1], -t[0], 0].map((a) => a / Math.hypot(t[0], t[1]));
  return {
    rod: 0,
    node,
    holdX: true,
    holdY: true,
    holdZ: true,
    orientation,
    holds: () => true,
    evaluate(pose) {
      pose.position.set(x.subarray(3 * node, 3 * node + 3));
      pose.tangent.set(t);
      pose.director.set(across);
      pose.axis.set([0.6, 0, 0.8]);
      pose.twist = 0.1;
      pose.active = true;
    },
  };
}

const stage: Stage = { t: 0, inertia: 4, rate: 2 };

/** A crooked rod of 14 edges with a body at each of the given nodes. */
function build(knots: readonly (readonly [node: number, hold: Hold, body: number])[], closed: boolean): System {
  const rod = randomRod(3, 14, closed);
  const pins = knots.map(([node, hold]) => holdNode(rod, node, hold));
  const der = makeDerRod(rod, {}, { pins, sources: [] });
  const work = createWorkspace(der);
  const random = createRandom(7);
  for (let d = 0; d < der.size; d++) work.qHat[d] = der.q[d] + 0.1 * random();
  const count = 1 + Math.max(...knots.map(([, , body]) => body));
  const bodies = Array.from({ length: count }, (_, b): DerBody => {
    const body: RigidBody = {
      id: `b${b}`,
      mass: 1,
      inertia: Float64Array.of(2, 0, 0, 0, 3, 0, 0, 0, 4),
      free: new Uint8Array(6).fill(1),
      start: {
        position: Float64Array.of(0.3, -0.2, 0.5 * b),
        orientation: Float64Array.of(1, 0, 0, 0),
        velocity: new Float64Array(3),
        angularMomentum: new Float64Array(3),
      },
      load: (out) => out.fill(0),
    };
    const welds = knots.flatMap(([, , of], k) =>
      of === b ? [{ body: b, rod: 0, arm: new Float64Array(3), pin: pins[k] }] : [],
    );
    const made = createDerBody({ body, pose: createBodyPose() }, welds, [der], new Float64Array(BODY_MEMORY));
    initializeBody(made);
    return made;
  });
  return createSystem([{ der, work, index: 0 }], bodies, bodyParts);
}

/** What is left for the bodies, the step, and the answer to another right-hand side. `spoil` changes the matrix first. */
function solve(
  system: System,
  parted: boolean,
  { shift = 0, spoil = (_: System): void => {} } = {},
): { numbers: number[]; negative: number; usedParts: boolean; moved: boolean; filled: number } {
  const member = system.members[0];
  const one = parted ? member : { ...member, parted: undefined };
  const { der, work } = one;
  const n = 6 * system.bodies.length;
  startOuter(system, stage);
  setPenalties(der, work, stage.inertia);
  clearBand(work.matrix);
  expect(Number.isNaN(evaluateStage(der, work, stage, work.matrix))).toBe(false);
  spoil(system);
  measureLevers(one, system.bodies);
  writeHeldTorque(one.heldTorque, der);
  writeRightSide(der, work);
  assembleTies(system, one, { elastic: true, rateScale: 0 });
  for (let d = 0; d < der.size; d++) {
    if (!der.fixed[d]) continue;
    fixUnknown(work.matrix, d);
    work.step[d] = 0;
  }
  eliminate(system, one, shift, 'count-negative');
  const numbers: number[] = [];
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) numbers.push(system.outer[i * n + j]);
  numbers.push(...system.outerRight);
  factorDense(system.outer, n, 3);
  solveDense(system.outer, n, system.outerRight);
  substituteBack(system, one);
  numbers.push(...work.step);
  // as contact does: the same factor again
  const random = createRandom(5);
  for (let d = 0; d < der.size; d++) work.step[d] = der.fixed[d] ? 0 : random();
  for (let i = 0; i < n; i++) system.outerRight[i] = random();
  reduceRight(system, one);
  solveDense(system.outer, n, system.outerRight);
  substituteBack(system, one);
  numbers.push(...work.step, ...system.outerRight);
  const filled = one.order.fills.flat().reduce((sum, { from, to }) => sum + to - from, 0);
  return {
    numbers,
    negative: one.order.factor.negative,
    usedParts: one.order === one.parted,
    moved: one.order.moved,
    filled,
  };
}

function expectSame(a: readonly number[], b: readonly number[], tolerance = 1e-12): void {
  const scale = Math.max(...a.map(Math.abs));
  expect(a.length).toBe(b.length);
  expect(Math.max(...a.map((x, k) => Math.abs(x - b[k])))).toBeLessThan(tolerance * scale);
}

const scenes: readonly {
  name: string;
  knots: readonly (readonly [number, Hold, number])[];
  closed?: boolean;
  moved: boolean;
}[] = [
  { name: 'a weld at the start', knots: [[0, 'frame', 0]], moved: true },
  { name: 'a weld in the middle', knots: [[6, 'frame', 0]], moved: true },
  { name: 'a weld at the end', knots: [[14, 'frame', 0]], moved: false },
  {
    name: 'a body at each end',
    knots: [
      [0, 'frame', 0],
      [14, 'frame', 1],
    ],
    moved: false,
  },
  {
    name: 'three welds to two bodies',
    knots: [
      [3, 'frame', 0],
      [4, 'frame', 1],
      [9, 'frame', 0],
    ],
    moved: true,
  },
  {
    name: 'welds, a ball joint and a hinge between',
    knots: [
      [2, 'frame', 1],
      [5, 'free', 0],
      [10, 'frame', 0],
      [14, 'hinge', 2],
    ],
    moved: true,
  },
  { name: 'a ball joint at the start', knots: [[0, 'free', 0]], moved: true },
  { name: 'a ball joint near the start', knots: [[3, 'free', 0]], moved: true },
  { name: 'a hinge at the start', knots: [[0, 'hinge', 0]], moved: true },
  { name: 'a hinge within', knots: [[2, 'hinge', 0]], moved: true },
  { name: 'a ring with a weld', knots: [[5, 'frame', 0]], closed: true, moved: true },
  { name: 'a ring with a weld where it is closed', knots: [[0, 'frame', 0]], closed: true, moved: true },
  {
    name: 'a ring with two welds and a ball joint',
    knots: [
      [1, 'frame', 0],
      [6, 'frame', 1],
      [9, 'free', 1],
    ],
    closed: true,
    moved: true,
  },
];

describe('a rod eliminated towards its welds', () => {
  it.each(scenes)('leaves the same: $name', ({ knots, closed = false, moved }) => {
    const fast = solve(build(knots, closed), true);
    const slow = solve(build(knots, closed), false);
    expect(fast.usedParts).toBe(true);
    expect(fast.moved).toBe(moved);
    expect(slow.usedParts).toBe(false);
    // the border of a ring costs a digit
    const tolerance = closed ? 1e-11 : 1e-12;
    expectSame(fast.numbers, slow.numbers, tolerance);
    // and with a shift
    expectSame(
      solve(build(knots, closed), true, { shift: 0.3 }).numbers,
      solve(build(knots, closed), false, { shift: 0.3 }).numbers,
      tolerance,
    );
    expect(solve(build(knots, closed), true, { shift: 0.3 }).numbers[0]).not.toBe(fast.numbers[0]);
  });

  it.each(scenes)('counts the same negative modes: $name', ({ knots, closed = false }) => {
    const soften = ({ members: [{ der, work }] }: System): void => {
      for (let d = 0; d < der.size; d++) addEntry(work.matrix, d, d, (d & 3) === 3 ? -2 : -40);
    };
    const fast = solve(build(knots, closed), true, { spoil: soften });
    const slow = solve(build(knots, closed), false, { spoil: soften });
    expect(slow.negative).toBeGreaterThan(1);
    expect(fast.negative).toBe(slow.negative);
  });

  it('is not filled beyond the neighbours of a weld', () => {
    for (const node of [0, 6, 14]) expect(solve(build([[node, 'frame', 0]], false), true).filled).toBeLessThan(24);
    expect(solve(build([[0, 'frame', 0]], false), false).filled).toBe(59);
  });

  it('is taken as it comes where something couples what a weld parts', () => {
    for (const closed of [false, true]) {
      const couple = ({ members: [{ work }] }: System): void => addEntry(work.matrix, 4 * 6 + 4, 4 * 6 - 4, 0.3);
      const fast = solve(build([[6, 'frame', 0]], closed), true, { spoil: couple });
      const slow = solve(build([[6, 'frame', 0]], closed), false, { spoil: couple });
      expect(fast.usedParts).toBe(false);
      expectSame(fast.numbers, slow.numbers);
      // and back again
      const system = build([[6, 'frame', 0]], closed);
      solve(system, true, { spoil: couple });
      expectSame(solve(system, true).numbers, solve(build([[6, 'frame', 0]], closed), false).numbers);
    }
  });
});
