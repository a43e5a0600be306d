/** Turns of twist that the way of the frames loses: an edge that goes round the other way between two that are held. */
import { describe, expect, it } from 'vitest';
import { followCenterline } from '../../src/models/der/kinematics.ts';
import type { DerRod } from '../../src/models/der/rod.ts';
import { losesTurns, type TwistStart } from '../../src/models/der/slip.ts';
import { createWorkspace } from '../../src/models/der/stage.ts';
import type { Pin } from '../../src/scene/compiled.ts';
import { heldFramePin, makeDerRod, randomRod } from './rods.ts';

const along = (node: number, tangent: readonly number[]): Pin => ({
  ...heldFramePin(node),
  evaluate(pose) {
    pose.tangent.set(tangent);
    pose.director.set([0, 0, 1]);
    pose.twist = 0;
    pose.active = true;
  },
});

/** Three edges: along x, anywhere, along y; the outer ones held if asked for. */
function bent(held: boolean): DerRod {
  const pins = held ? [along(0, [1, 0, 0]), along(3, [0, 1, 0])] : [];
  const der = makeDerRod(randomRod(3, 3, false), {}, { pins, sources: [] });
  place(der, [Math.SQRT1_2, Math.SQRT1_2, 0]);
  return der;
}

function place(der: DerRod, t: readonly number[]): void {
  const nodes = [
    [0, 0, 0],
    [1, 0, 0],
    [1 + t[0], t[1], t[2]],
    [1 + t[0], 1 + t[1], t[2]],
  ];
  nodes.forEach((x, i) => {
    der.q.set(x, 4 * i);
  });
  expect(followCenterline(der, createWorkspace(der).edgeWork)).toBe(true);
}

const startOf = (der: DerRod): TwistStart => ({
  q: der.q.slice(),
  edgeReference: der.edgeReference.slice(),
  jointReferenceTwist: der.jointReferenceTwist.slice(),
});
const total = (der: DerRod): number =>
  der.jointTwist.reduce((sum, twist, i) => sum + (der.jointActive[i] ? twist : 0), 0);

/** Leads the middle edge from where it is to near −x, `round` times about it, and back. */
function lead(der: DerRod, round: number): void {
  // towards −x through z, half a radian short of it
  const way = (s: number): number[] => {
    const a = 0.25 * Math.PI + s * (0.75 * Math.PI - 0.5);
    const lift = Math.sin(Math.PI * s);
    const v = [Math.cos(a), Math.sin(a), 0.4 * lift];
    return v.map((x) => x / Math.hypot(...v));
  };
  for (let k = 0; k <= 100; k++) place(der, way(k / 100));
  const steps = 100 * round;
  for (let k = 0; k <= steps; k++) {
    const a = (2 * Math.PI * k) / 100;
    place(der, [-Math.cos(0.5), Math.sin(0.5) * Math.cos(a), Math.sin(0.5) * Math.sin(a)]);
  }
  for (let k = 100; k >= 0; k--) place(der, way(k / 100));
}

describe('twist that a step loses', () => {
  it('is seen where an edge went round the far side of one neighbour and not of the other', () => {
    const der = bent(true);
    const start = startOf(der);
    const before = total(der);
    lead(der, 1);
    // turning over once is two turns
    expect(Math.abs(total(der) - before)).toBeCloseTo(4 * Math.PI, 8);
    expect(losesTurns(der, start)).toBe(true);
  });

  it('is none where it comes back the way it went, or where nothing holds an end', () => {
    const back = bent(true);
    const start = startOf(back);
    const before = total(back);
    lead(back, 0);
    expect(total(back)).toBeCloseTo(before, 8);
    expect(losesTurns(back, start)).toBe(false);
    const free = bent(false);
    const freeStart = startOf(free);
    lead(free, 1);
    expect(losesTurns(free, freeStart)).toBe(false);
  });

  it('is none in a step as steps are, with real twist', () => {
    const der = bent(true);
    for (let j = 0; j < 3; j++) der.q[4 * j + 3] = 2 * j;
    const start = startOf(der);
    for (const t of [
      [0.8, 0.5, 0.332],
      [0.3, 0.5, 0.812],
    ])
      place(der, t);
    expect(losesTurns(der, start)).toBe(false);
  });
});
