import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Vector } from '../../src/curve/vector.ts';
import {
  add,
  advanceFrame,
  cross,
  distance,
  dot,
  norm,
  rotationBetween,
  twistBetween,
} from '../../src/curve/vector.ts';
import type { Rod } from '../../src/scene/compiled.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { ShapeSpec, Varying } from '../../src/scene/types.ts';
import { compileOne, edgeFrame, nodeFrame, rodSpec, sceneOf, steel, sum, vectorAt, wire } from './support.ts';

/** The rest rotation of a joint: its two halves, one after the other. */
function jointRest(rod: Rod, i: number): Vector {
  const start = nodeFrame(rod, i % rod.nodeCount);
  const [before, after] = [
    vectorAt(rod.halfStrainRest, 2 * i - 1),
    vectorAt(rod.halfStrainRest, (2 * i) % (2 * rod.edgeCount)),
  ];
  const end = advanceFrame(advanceFrame(start, before), after);
  return rotationBetween(start, end, add(before, after));
}

/** Largest difference between the rest rotation of the joints and the rotation between the edges as they start. */
function strainOff(rod: Rod): number {
  let worst = 0;
  const last = rod.closed ? rod.edgeCount : rod.edgeCount - 1;
  for (let i = 1; i <= last; i++) {
    const joint = jointRest(rod, i);
    const initial = rotationBetween(edgeFrame(rod, i - 1), edgeFrame(rod, i % rod.edgeCount), joint);
    worst = Math.max(worst, distance(initial, joint));
  }
  return worst;
}
const edgeLength = (rod: Rod, j: number): number =>
  distance(vectorAt(rod.nodePosition, j), vectorAt(rod.nodePosition, (j + 1) % rod.nodeCount));
const helix: ShapeSpec = { type: 'helix', radius: 0.03, pitch: 0.05, turns: 3 };

describe('straight rod', () => {
  const rod = compileOne();
  it('has uniform nodes and no strain', () => {
    expect(rod.nodeCount).toBe(11);
    expect(rod.length).toBeCloseTo(2, 14);
    for (let i = 0; i <= 10; i++) {
      expect(distance(vectorAt(rod.nodePosition, i), [0.2 * i, 0, 0])).toBeLessThan(1e-15);
      expect(rod.nodeArc[i]).toBeCloseTo(0.2 * i, 14);
    }
    expect(Math.max(...rod.halfStrainRest.map(Math.abs))).toBe(0);
    expect(Math.max(...rod.nodeTwist.map(Math.abs))).toBe(0);
    expect(dot(vectorAt(rod.edgeDirector, 3), [1, 0, 0])).toBe(0);
  });
  it('has the stiffness and mass of its section', () => {
    const r4 = (Math.PI / 4) * 1e-12;
    expect(rod.halfEI1[5]).toBeCloseTo(2e11 * r4, 12);
    expect(rod.halfGJ[5]).toBeCloseTo((2e11 / 2.6) * 2 * r4, 12);
    expect(rod.edgeEA[0] / (2e11 * Math.PI * 1e-6)).toBeCloseTo(1, 12);
    expect(sum(rod.nodeMass) / (7800 * Math.PI * 1e-6 * 2)).toBeCloseTo(1, 13);
    expect(rod.nodeMass[0] / rod.nodeMass[1]).toBeCloseTo(0.5, 13);
    expect(sum(rod.edgeInertia) / (7800 * 2 * r4 * 2)).toBeCloseTo(1, 13);
  });
  it('moves as velocity says, about the centre of mass', () => {
    const moving = compileOne({ velocity: { linear: [1, 2, 3], angular: [0, 0, 4] } });
    expect(vectorAt(moving.nodeVelocity, 0)).toEqual([1, expect.closeTo(2 - 4, 12), 3]);
    expect(vectorAt(moving.nodeVelocity, 10)).toEqual([1, expect.closeTo(2 + 4, 12), 3]);
  });
});

describe('properties along the rod', () => {
  const mass = (radius: Varying, density: Varying): number =>
    sum(compileOne({ section: { type: 'circle', radius }, material: { ...steel, density } }).nodeMass);
  it('total mass of a cone is exact', () => {
    const cone = {
      along: [
        [0, 2e-3],
        [1, 1e-3],
      ],
    } as const;
    expect(mass(cone, 1000) / ((1000 * Math.PI * 2 * (4 + 2 + 1) * 1e-6) / 3)).toBeCloseTo(1, 13);
    const formula = { formula: '2e-3 - 1e-3*s/L' };
    expect(mass(formula, 1000) / mass(cone, 1000)).toBeCloseTo(1, 13);
  });
  it('a jump at a node is averaged exactly', () => {
    // node 3 lies at u = 0.3
    const rod = compileOne({
      material: {
        ...steel,
        E: {
          along: [
            [0, 1e9],
            [0.3, 1e9],
            [0.3, 4e9],
            [1, 4e9],
          ],
        },
      },
    });
    const unit = (Math.PI / 4) * 1e-12 * 1e9;
    expect(rod.halfEI1[5] / unit).toBeCloseTo(1, 13);
    expect(rod.halfEI1[6] / unit).toBeCloseTo(4, 13);
    expect(rod.edgeEA[2] / rod.edgeEA[3]).toBeCloseTo(0.25, 13);
  });
  it('stiffness is averaged by compliance', () => {
    // the jump in the middle of edge 0, u = 0.05, parts its halves
    const rod = compileOne({
      section: {
        type: 'stiffness',
        EA: {
          along: [
            [0, 1],
            [0.05, 1],
            [0.05, 3],
            [1, 3],
          ],
        },
        EI1: 1,
        GJ: 1,
        mass: 1,
      },
      material: undefined,
    });
    expect(rod.edgeEA[0]).toBeCloseTo(1.5, 13);
    expect(rod.edgeEA[1]).toBeCloseTo(3, 13);
    expect(rod.halfEI2[0]).toBe(1);
    expect(rod.inextensible).toBe(false);
  });
  it('a stiffness section without EA is inextensible', () => {
    const rod = compileOne({ section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 }, material: undefined });
    expect(rod.inextensible).toBe(true);
    expect(rod.edgeEA[0]).toBe(Number.POSITIVE_INFINITY);
  });
  it('damping belongs to nodes and halves', () => {
    const rod = compileOne({
      material: { ...steel, damping: { mass: 0.7, stiffness: { formula: 'u < 0.5 ? 0.1 : 0.2' } } },
    });
    expect(rod.nodeDamping[4]).toBeCloseTo(0.7, 14);
    expect(rod.halfDamping[9]).toBeCloseTo(0.1, 14);
    expect(rod.halfDamping[10]).toBeCloseTo(0.2, 14);
  });
});

describe('arc', () => {
  const rod = compileOne({
    shape: { type: 'arc', from: [1, 2, 3], tangent: [0, 0, 5], normal: [1, 0, 1], radius: 0.5, angle: 2 },
    edges: 8,
  });
  it('is a polygon with edges of the arc length that turn by ds/R', () => {
    expect(distance(vectorAt(rod.nodePosition, 0), [1, 2, 3])).toBe(0);
    expect(rod.length).toBeCloseTo(1, 14);
    for (let j = 0; j < 8; j++) expect(edgeLength(rod, j)).toBeCloseTo(1 / 8, 14);
    for (let j = 1; j < 8; j++) {
      const turn = cross(edgeFrame(rod, j - 1).tangent, edgeFrame(rod, j).tangent);
      expect(Math.asin(norm(turn))).toBeCloseTo(0.25, 13);
      // bends towards the normal: from z to x, that is about y
      expect(turn[1]).toBeGreaterThan(0);
    }
  });
  it('is exact at the nodes in direction', () => {
    expect(distance(vectorAt(rod.nodeTangent, 8), [Math.sin(2), 0, Math.cos(2)])).toBeLessThan(1e-14);
  });
});

describe('helix', () => {
  const c = 0.05 / (2 * Math.PI);
  const curvature = 0.03 / (0.03 ** 2 + c ** 2);
  const torsion = c / (0.03 ** 2 + c ** 2);
  it('has constant rest strain (0, curvature, torsion) in its Frenet frame', () => {
    for (const [handedness, sign] of [
      ['right', 1],
      ['left', -1],
    ] as const) {
      const rod = compileOne({ shape: { ...helix, handedness }, edges: 60, frame: { follow: 'curve' } });
      for (let half = 0; half < 120; half++) {
        const length = rod.edgeLengthRest[half >> 1] / 2;
        const [u1, u2, u3] = vectorAt(rod.halfStrainRest, half);
        expect(Math.abs(u1 / length)).toBeLessThan(1e-10);
        expect(Math.abs(u2 / length - curvature)).toBeLessThan(1e-10);
        expect(Math.abs(u3 / length - sign * torsion)).toBeLessThan(1e-10);
      }
    }
  });
  it('starts on the side of `start` and winds about the axis', () => {
    const rod = compileOne({ shape: { ...helix, center: [1, 1, 1], axis: [1, 0, 0], start: [0, 2, 0] }, edges: 600 });
    expect(distance(vectorAt(rod.nodePosition, 0), [1, 1.03, 1])).toBeLessThan(1e-15);
    const end = vectorAt(rod.nodePosition, 600);
    expect(distance(end, [1.15, 1.03, 1])).toBeLessThan(1e-4);
    expect(rod.length).toBeCloseTo(6 * Math.PI * Math.sqrt(0.03 ** 2 + c ** 2), 13);
  });
  it('the transported frame agrees with the integrated one of the same curve as a formula', () => {
    const closedForm = compileOne({ shape: { ...helix, start: [1, 0, 0] }, edges: 40, frame: { d1: [0, 0, 1] } });
    const formula = { type: 'formula', x: '0.03*cos(6*pi*u)', y: '0.03*sin(6*pi*u)', z: '0.15*u' } as const;
    const integrated = compileOne({ shape: formula, edges: 40, frame: { d1: [0, 0, 1] } });
    expect(Math.abs(closedForm.length - integrated.length)).toBeLessThan(1e-14);
    for (let j = 0; j < 40; j++) {
      expect(distance(vectorAt(closedForm.edgeDirector, j), vectorAt(integrated.edgeDirector, j))).toBeLessThan(1e-12);
      expect(distance(vectorAt(closedForm.nodePosition, j), vectorAt(integrated.nodePosition, j))).toBeLessThan(1e-13);
    }
    // and it is not the Frenet frame: it turns against it
    const frenet = compileOne({ shape: formula, edges: 40, frame: { follow: 'curve' } });
    expect(frenet.nodeTwist[20]).toBeCloseTo(torsion * frenet.edgeLengthRest[0], 2);
    expect(Math.abs(integrated.nodeTwist[20])).toBeLessThan(0.1 * frenet.nodeTwist[20]);
  });
  it('is free of stress where it starts, whatever the frame', () => {
    for (const follow of ['transport', 'curve'] as const) {
      expect(strainOff(compileOne({ shape: helix, edges: 30, frame: { follow } }))).toBeLessThan(1e-13);
    }
    expect(strainOff(compileOne({ shape: helix, edges: 30, natural: 'straight' }))).toBeGreaterThan(0.1);
  });
  it('a clamp at an inner node sees the natural rotation of each half alone', () => {
    const rod = compileOne(
      { shape: helix, edges: 30 },
      {
        pins: [
          { rod: 'a', at: { node: 7 } },
          { rod: 'a', at: 'start' },
        ],
      },
    );
    for (const [half, from, to] of [
      [13, edgeFrame(rod, 6), nodeFrame(rod, 7)],
      [14, nodeFrame(rod, 7), edgeFrame(rod, 7)],
      [0, nodeFrame(rod, 0), edgeFrame(rod, 0)],
    ] as const) {
      expect(distance(rotationBetween(from, to), vectorAt(rod.halfStrainRest, half))).toBeLessThan(1e-14);
    }
  });
});

describe('ring', () => {
  const ring: ShapeSpec = { type: 'ring', radius: 0.2, start: [1, 0, 0] };
  it('closes, with edges of arc length', () => {
    const rod = compileOne({ shape: ring, edges: 20 });
    expect(rod.closed).toBe(true);
    expect(rod.nodeCount).toBe(20);
    expect(distance(vectorAt(rod.nodePosition, 0), [0.2, 0, 0])).toBeLessThan(1e-15);
    for (let j = 0; j < 20; j++) expect(edgeLength(rod, j)).toBeCloseTo((2 * Math.PI * 0.2) / 20, 14);
    expect(strainOff(rod)).toBeLessThan(1e-13);
    expect(sum(rod.nodeMass) / (7800 * Math.PI * 1e-6 * 2 * Math.PI * 0.2)).toBeCloseTo(1, 13);
    expect(Math.max(...rod.nodeTwist.map(Math.abs))).toBeLessThan(1e-13);
  });
  it('holds the twist it is given, shared evenly, natural strain untouched', () => {
    const plain = compileOne({ shape: ring, edges: 20 });
    for (const twist of [1.3, 2 * Math.PI, 54 * Math.PI]) {
      const rod = compileOne({ shape: ring, edges: 20, frame: { twist } });
      expect(sum(rod.nodeTwist)).toBeCloseTo(twist, 11);
      for (const m of rod.nodeTwist) expect(m).toBeCloseTo(twist / 20, 11);
      rod.halfStrainRest.forEach((value, k) => {
        expect(value).toBeCloseTo(plain.halfStrainRest[k], 14);
      });
      for (let i = 1; i < 20; i++) {
        // the directors say the same, as far as directors can count
        const turns = (rod.nodeTwist[i] - twistBetween(edgeFrame(rod, i - 1), edgeFrame(rod, i))) / (2 * Math.PI);
        expect(turns).toBeCloseTo(Math.round(turns), 12);
      }
    }
  });
  it('a closed curve in space is free of stress all round, although its frame does not close', () => {
    const trefoil: ShapeSpec = {
      type: 'formula',
      x: 'sin(2*pi*u)+2*sin(4*pi*u)',
      y: 'cos(2*pi*u)-2*cos(4*pi*u)',
      z: '-sin(6*pi*u)',
    };
    const rod = compileOne({ shape: trefoil, closed: true, edges: 80 });
    for (let j = 0; j < 80; j++) expect(edgeLength(rod, j)).toBeCloseTo(rod.edgeLengthRest[j], 13);
    for (let i = 1; i < 80; i++) {
      const joint = jointRest(rod, i);
      expect(distance(rotationBetween(edgeFrame(rod, i - 1), edgeFrame(rod, i)), joint)).toBeLessThan(1e-13);
    }
    // the joint that closes it has twist as small as all others
    expect(Math.abs(rod.nodeTwist[0])).toBeLessThan(2 * Math.max(...rod.nodeTwist.slice(1).map(Math.abs)));
    const closing = jointRest(rod, 80);
    const angle = Math.acos(dot(edgeFrame(rod, 79).tangent, edgeFrame(rod, 0).tangent));
    // bending in full, and next to no twist
    expect(Math.hypot(closing[0], closing[1])).toBeCloseTo(angle, 4);
    expect(Math.abs(closing[2])).toBeLessThan(1e-3 * angle);
  });
  it('a corner where the curve closes belongs to the joint there', () => {
    const drop: ShapeSpec = { type: 'formula', x: 'sin(pi*u)^2', y: 'sin(2*pi*u)*sin(pi*u)', z: '0' };
    const rod = compileOne({ shape: drop, closed: true, edges: 40 });
    const turn = Math.acos(dot(edgeFrame(rod, 39).tangent, edgeFrame(rod, 0).tangent));
    expect(turn).toBeGreaterThan(0.9);
    expect(norm(jointRest(rod, 40))).toBeCloseTo(turn, 12);
    expect(strainOff(rod)).toBeLessThan(1e-12);
  });
  it('glued from a straight rod keeps its twist', () => {
    const rod = compileOne({ shape: ring, edges: 20, natural: 'straight', frame: { twist: 3 } });
    expect(Math.max(...rod.halfStrainRest.map(Math.abs))).toBe(0);
    expect(sum(rod.nodeTwist)).toBeCloseTo(3, 12);
  });
});

describe('natural state', () => {
  it('curvature reproduces the published helices (constant Darboux vector)', () => {
    // n0 is the tangent, n1 = d1, n2 = d2; the Darboux vector is tau·n0 + kappa1·n1 + kappa2·n2
    const rows = JSON.parse(readFileSync(new URL('./superhelix.json', import.meta.url), 'utf8')) as {
      kappa1: number;
      kappa2: number;
      tau: number;
      points: { s: number; n0: Vector; n1: Vector }[];
    }[];
    let compared = 0;
    for (const { kappa1, kappa2, tau, points } of rows) {
      for (const { s, n0, n1 } of points) {
        const shape = { type: 'straight', from: [0, 0, 0], to: [s, 0, 0] } as const;
        const rod = compileOne({ shape, edges: 50, natural: { curvature: [kappa1, kappa2, tau] } });
        let frame = { tangent: [1, 0, 0] as Vector, d1: [0, 1, 0] as Vector };
        for (let half = 0; half < 100; half++) frame = advanceFrame(frame, vectorAt(rod.halfStrainRest, half));
        expect(distance(frame.tangent, n0)).toBeLessThan(2e-11);
        expect(distance(frame.d1, n1)).toBeLessThan(2e-11);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(10);
  });
  it('another shape gives its strain and its length', () => {
    const rod = compileOne({
      shape: { type: 'straight', from: [0, 0, 0], to: [0, 0, 1] },
      natural: { shape: helix, frame: { follow: 'curve' } },
      edges: 30,
    });
    const helical = compileOne({ shape: helix, edges: 30, frame: { follow: 'curve' } });
    expect(rod.length).toBeCloseTo(helical.length, 14);
    expect(Array.from(rod.halfStrainRest)).toEqual(Array.from(helical.halfStrainRest));
    expect(edgeLength(rod, 0)).toBeCloseTo(1 / 30, 14);
    expect(rod.edgeLengthRest[0]).toBeCloseTo(helical.length / 30, 14);
  });
  it('length scales the rest lengths, not the angles', () => {
    const shape: ShapeSpec = {
      type: 'arc',
      from: [0, 0, 0],
      tangent: [1, 0, 0],
      normal: [0, 1, 0],
      radius: 1,
      angle: 1,
    };
    const rod = compileOne({ shape, natural: { length: 0.8 } });
    expect(rod.length).toBeCloseTo(0.8, 14);
    expect(norm(vectorAt(rod.halfStrainRest, 4))).toBeCloseTo(1 / 20, 13);
  });
  it('twist of the initial frame is elastic, that of the natural frame natural', () => {
    const elastic = compileOne({ frame: { twist: 5 } });
    expect(elastic.halfStrainRest.every((value) => value === 0)).toBe(true);
    expect(sum(elastic.nodeTwist)).toBeCloseTo(5 * 0.9, 12);
    const natural = compileOne({ frame: { twist: 5 }, natural: { frame: { twist: { formula: '5*u' } } } });
    for (let half = 0; half < 20; half++) {
      expect(distance(vectorAt(natural.halfStrainRest, half), [0, 0, 0.25])).toBeLessThan(1e-14);
    }
    expect(strainOff(natural)).toBeLessThan(1e-13);
  });
  it('a natural frame that says only twist keeps d1 and follow of the rod', () => {
    const frame = { d1: [0.3, 0.2, 1], follow: 'curve' } as const;
    const plain = compileOne({ shape: helix, edges: 30, frame });
    const same = compileOne({ shape: helix, edges: 30, frame, natural: { frame: { twist: 0 } } });
    expect(Array.from(same.halfStrainRest)).toEqual(Array.from(plain.halfStrainRest));
  });
  it('keeps count of many turns', () => {
    const turns = 27 * 2 * Math.PI;
    const rod = compileOne({ edges: 20, frame: { twist: turns } });
    for (let i = 1; i < 20; i++) expect(rod.nodeTwist[i]).toBeCloseTo(turns / 20, 11);
    const natural = compileOne({ edges: 20, natural: { frame: { twist: turns } } });
    for (let half = 0; half < 40; half++) expect(natural.halfStrainRest[3 * half + 2]).toBeCloseTo(turns / 40, 11);
  });
});

describe('points', () => {
  const points: Vector[] = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 2, 0],
    [1, 2, 3],
  ];
  it('are the nodes, chords the rest lengths, joints shared by length', () => {
    const rod = compileOne({ shape: { type: 'points', points }, edges: undefined });
    expect(Array.from(rod.nodePosition)).toEqual(points.flat());
    expect(Array.from(rod.edgeLengthRest)).toEqual([1, 2, 3]);
    const half = (k: number): number => norm(vectorAt(rod.halfStrainRest, k));
    expect([half(0), half(5)]).toEqual([0, 0]);
    expect(half(1)).toBeCloseTo(Math.PI / 2 / 3, 13);
    expect(half(2)).toBeCloseTo(Math.PI / 3, 13);
    expect(strainOff(rod)).toBeLessThan(1e-13);
    expect(distance(vectorAt(rod.nodeTangent, 0), [1, 0, 0])).toBe(0);
    expect(distance(vectorAt(rod.nodeTangent, 1), [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6), 0])).toBeLessThan(
      1e-14,
    );
    expect(Math.max(...rod.nodeTwist.map(Math.abs))).toBeLessThan(1e-13);
  });
  it('with edges: a smooth curve through them', () => {
    const circle = Array.from(
      { length: 24 },
      (_, k): Vector => [Math.cos((k * Math.PI) / 12), Math.sin((k * Math.PI) / 12), 0],
    );
    const rod = compileOne({ shape: { type: 'points', points: circle }, closed: true, edges: 48 });
    expect(rod.length).toBeCloseTo(2 * Math.PI, 4);
    expect(strainOff(rod)).toBeLessThan(1e-12);
    const again = compileOne({ shape: { type: 'points', points: [...circle, circle[0]] }, closed: true, edges: 48 });
    expect(Array.from(again.nodePosition)).toEqual(Array.from(rod.nodePosition));
  });
  it('closed polyline drops a repeated first point', () => {
    const triangle: Vector[] = [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 0],
    ];
    const rod = compileOne({ shape: { type: 'points', points: triangle }, closed: true, edges: undefined });
    expect(rod.nodeCount).toBe(3);
    expect(rod.edgeLengthRest[2]).toBe(1);
    expect(strainOff(rod)).toBeLessThan(1e-13);
  });
  it('natural points of the same number give chords and joints', () => {
    const straight: Vector[] = [
      [0, 0, 0],
      [0, 1, 0],
      [0, 3, 0],
      [0, 6, 0],
    ];
    const rod = compileOne({
      shape: { type: 'points', points: straight },
      edges: undefined,
      natural: { shape: { type: 'points', points } },
    });
    expect(Array.from(rod.edgeLengthRest)).toEqual([1, 2, 3]);
    expect(norm(vectorAt(rod.halfStrainRest, 2))).toBeCloseTo(Math.PI / 3, 13);
  });
});

describe('formula', () => {
  it('is laid by arc length whatever the parametrisation', () => {
    const fast = compileOne({
      shape: { type: 'formula', x: 'sin(pi*u^3/2)', y: '1-cos(pi*u^3/2)', z: '0' },
      edges: 12,
    });
    const arc = compileOne({
      shape: { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 1, angle: Math.PI / 2 },
      edges: 12,
    });
    expect(Math.abs(fast.length - Math.PI / 2)).toBeLessThan(2e-12);
    for (let i = 0; i <= 12; i++)
      expect(distance(vectorAt(fast.nodePosition, i), vectorAt(arc.nodePosition, i))).toBeLessThan(1e-11);
  });
});

describe('nodes at pins', () => {
  it('are exact, edges are shared in proportion, the total is kept', () => {
    const scene = sceneOf(
      { edges: 20 },
      {
        pins: [
          { rod: 'a', at: { u: 1 / 3 }, hold: 'position' },
          { rod: 'a', at: { s: 1.9 }, hold: 'position' },
        ],
      },
    );
    const { rods, drives } = compileScene(scene);
    expect(rods[0].edgeCount).toBe(20);
    const [first, second] = drives[0].pins;
    expect(rods[0].nodeArc[first.node]).toBeCloseTo(2 / 3, 14);
    expect(rods[0].nodeArc[second.node]).toBeCloseTo(1.9, 14);
    expect([first.node, second.node]).toEqual([7, 19]);
    for (let j = 0; j < 7; j++) expect(rods[0].edgeLengthRest[j]).toBeCloseTo(2 / 21, 14);
  });
  it('a ring can be pinned anywhere', () => {
    const { rods, drives } = compileScene(
      sceneOf(
        { shape: { type: 'ring', radius: 1 }, edges: 11 },
        {
          pins: [
            { rod: 'a', at: { u: 0.5 } },
            { rod: 'a', at: 'end' },
          ],
        },
      ),
    );
    expect(drives[0].pins.map((pin) => pin.node)).toEqual([expect.any(Number), 0]);
    expect(rods[0].nodeArc[drives[0].pins[0].node]).toBeCloseTo(Math.PI, 13);
    // five edges on one side and six on the other: the lengths are right all the same
    expect(rods[0].length).toBeCloseTo(2 * Math.PI, 13);
    for (let j = 0; j < 11; j++) expect(edgeLength(rods[0], j)).toBeCloseTo(rods[0].edgeLengthRest[j], 13);
    expect(rods[0].edgeLengthRest[0]).not.toBeCloseTo(rods[0].edgeLengthRest[10], 3);
  });
  it('several rods compile apart', () => {
    const { rods, drives } = compileScene({
      tendril: 1,
      rods: [rodSpec(), rodSpec({ id: 'b', section: 'thick', material: 'm' })],
      sections: { thick: { ...wire, radius: 2e-3 } },
      materials: { m: steel },
      pins: [{ rod: 'b', at: 'start' }],
    });
    expect(rods[1].nodeMass[0] / rods[0].nodeMass[0]).toBeCloseTo(4, 12);
    expect(drives.map(({ pins }) => pins.length)).toEqual([0, 1]);
    expect(drives[1].pins[0].rod).toBe(1);
  });
});
