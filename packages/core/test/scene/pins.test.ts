import { describe, expect, it } from 'vitest';
import { distance } from '../../src/curve/vector.ts';
import type { Pin, PinPose } from '../../src/scene/compiled.ts';
import { createPinPose } from '../../src/scene/compiled.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { PathSpec, PinSpec, RodSpec } from '../../src/scene/types.ts';
import { expectSceneError, sceneOf, vectorAt } from './support.ts';

const pinsOf = (pins: readonly Partial<PinSpec>[], rod: Partial<RodSpec> = {}) =>
  compileScene(sceneOf(rod, { pins: pins.map((pin) => ({ rod: 'a', at: 'start', ...pin })) }));
const pinOf = (pin: Partial<PinSpec>): Pin => pinsOf([pin]).drives[0].pins[0];
function poseAt(pin: Pin, t: number): PinPose {
  const pose = createPinPose();
  pin.evaluate(pose, t);
  return pose;
}

describe('what is held', () => {
  it.each([
    ['clamp', true, 'frame'],
    ['position', true, 'free'],
    ['frame', false, 'frame'],
    ['tangent', false, 'tangent'],
  ] as const)('%s', (hold, place, orientation) => {
    const pin = pinOf({ hold });
    expect([pin.holdX, pin.holdY, pin.holdZ, pin.orientation]).toEqual([place, place, place, orientation]);
  });
  it('axes', () => {
    const pin = pinOf({ hold: 'position', axes: ['y', 'z'] });
    expect([pin.holdX, pin.holdY, pin.holdZ]).toEqual([false, true, true]);
  });
  it('by default the place and frame of the rod, without warning', () => {
    const { drives, rods, warnings } = pinsOf([{ at: { u: 0.5 } }], { frame: { twist: 1 } });
    const pose = poseAt(drives[0].pins[0], 3);
    expect(drives[0].pins[0].node).toBe(5);
    expect(Array.from(pose.position)).toEqual(Array.from(rods[0].nodePosition.slice(15, 18)));
    expect(Array.from(pose.director)).toEqual(Array.from(rods[0].nodeDirector.slice(15, 18)));
    expect([pose.twist, pose.active]).toEqual([0, true]);
    expect(warnings).toEqual([]);
  });
});

describe('motion', () => {
  const keys = [{ time: 1 }, { time: 3, offset: [2, 0, -1], rotation: [0, 0, Math.PI / 2], twist: 20 }] as const;
  it.each(['smooth', 'linear'] as const)(
    '%s: velocity is the derivative, constant before and after',
    (interpolation) => {
      const pin = pinOf({ path: { interpolation, keys } });
      expect(Array.from(poseAt(pin, 0.5).position)).toEqual([0, 0, 0]);
      expect(Array.from(poseAt(pin, 9).position)).toEqual([2, 0, -1]);
      expect(Array.from(poseAt(pin, 9).velocity)).toEqual([0, 0, 0]);
      const h = 1e-5;
      for (const t of [1.3, 2, 2.9]) {
        const [a, b, c] = [poseAt(pin, t - h), poseAt(pin, t), poseAt(pin, t + h)];
        expect(b.velocity[0]).toBeCloseTo((c.position[0] - a.position[0]) / (2 * h), 7);
        expect(b.velocity[0]).toBeGreaterThan(0.1);
      }
      expect(poseAt(pin, 2).twist).toBeCloseTo(10, 12);
    },
  );
  it('smooth starts and stops at rest', () => {
    const pin = pinOf({ path: { keys } });
    expect(poseAt(pin, 1 + 1e-6).velocity[0]).toBeLessThan(1e-5);
    expect(poseAt(pin, 3 - 1e-6).velocity[0]).toBeLessThan(1e-5);
  });
  it('step holds', () => {
    const pin = pinOf({ path: { interpolation: 'step', keys } });
    expect(poseAt(pin, 2.999).position[0]).toBe(0);
    expect(poseAt(pin, 3).position[0]).toBe(2);
    expect(poseAt(pin, 2).velocity[0]).toBe(0);
  });
  it('rotation turns tangent and director about the place', () => {
    const pin = pinOf({ position: [5, 5, 5], tangent: [1, 0, 0], d1: [0, 1, 0], path: { keys } });
    const end = poseAt(pin, 3);
    expect(distance(vectorAt(end.tangent, 0), [0, 1, 0])).toBeLessThan(1e-15);
    expect(distance(vectorAt(end.director, 0), [-1, 0, 0])).toBeLessThan(1e-15);
    expect(Array.from(end.position)).toEqual([7, 5, 4]);
    const middle = poseAt(pin, 2);
    expect(distance(vectorAt(middle.tangent, 0), [Math.SQRT1_2, Math.SQRT1_2, 0])).toBeLessThan(1e-14);
  });
  it('rotation about the tangent counts turns', () => {
    const path: PathSpec = {
      interpolation: 'linear',
      keys: [{ time: 0 }, { time: 1, rotation: [54 * Math.PI, 0, 0], twist: 1 }],
    };
    const pin = pinOf({ path });
    expect(poseAt(pin, 1).twist).toBeCloseTo(54 * Math.PI + 1, 10);
    expect(Array.from(poseAt(pin, 0.37).director)).toEqual(Array.from(poseAt(pin, 0).director));
  });
  it('what a key leaves out stays as it was', () => {
    const pin = pinOf({
      path: { interpolation: 'linear', keys: [{ time: 0 }, { time: 1, offset: [1, 0, 0] }, { time: 2, twist: 3 }] },
    });
    expect(poseAt(pin, 2).position[0]).toBe(1);
    expect(poseAt(pin, 1).twist).toBe(0);
  });
  it('lets go', () => {
    const pin = pinOf({ release: 2 });
    expect(poseAt(pin, 1.999).active).toBe(true);
    expect(poseAt(pin, 2).active).toBe(true);
    expect(poseAt(pin, 2.001).active).toBe(false);
  });
  it('a tangent alone takes the director along', () => {
    const pose = poseAt(pinOf({ tangent: [0, 3, 0] }), 0);
    // d1 was y; the smallest rotation from x to y takes it to −x
    expect(distance(vectorAt(pose.director, 0), [-1, 0, 0])).toBeLessThan(1e-15);
  });
});

describe('warnings', () => {
  const warningsOf = (pins: Partial<PinSpec>[], rod: Partial<RodSpec> = {}): string =>
    pinsOf(pins, rod).warnings.join('\n');
  it('a pin that starts elsewhere', () => {
    expect(warningsOf([{ position: [0, 0.1, 0] }])).toMatch(/pin 0 \(rod 'a', node 0\) starts 0.1000 m away/);
    expect(warningsOf([{ tangent: [1, 1, 0] }])).toMatch(/another orientation/);
    expect(warningsOf([{ hold: 'position', axes: ['x'], position: [0, 0.1, 0] }])).toBe('');
    // a rod starts as the pin does that holds it alone, and twisted as its clamps are
    expect(warningsOf([{ path: { keys: [{ time: 0, twist: 1 }] } }, { at: 'end' }])).toBe('');
    expect(warningsOf([{ path: { keys: [{ time: 0, twist: 1 }] } }])).toBe('');
  });
  it('a stretchy rod pulled to more than double', () => {
    expect(warningsOf([{}, { at: 'end', path: { keys: [{ time: 0 }, { time: 1, offset: [2.5, 0, 0] }] } }])).toMatch(
      /4.50000 m apart at t = 1 s.*2.00000 m long/,
    );
    expect(warningsOf([{}, { at: 'end', path: { keys: [{ time: 0 }, { time: 1, offset: [1.5, 0, 0] }] } }])).toBe('');
  });
});

describe('errors', () => {
  const fails = (
    pins: Partial<PinSpec>[],
    path: (string | number)[],
    message: RegExp,
    rod: Partial<RodSpec> = {},
  ): void => expectSceneError(() => pinsOf(pins, rod), ['pins', ...path], message);
  it('places', () => {
    fails([{ rod: 'b' }], [0, 'rod'], /unknown rod 'b'; known: a/);
    fails([{ at: { u: 1.1 } }], [0, 'at', 'u'], /from 0 to 1/);
    fails([{ at: { s: 2.1 } }], [0, 'at', 's'], /rest length is 2 m/);
    fails([{ at: { node: 11 } }], [0, 'at', 'node'], /nodes 0 to 10/);
    fails([{ at: { node: 1.5 } }], [0, 'at', 'node'], /does not exist/);
    const points = {
      type: 'points',
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [4, 0, 0],
      ],
    } as const;
    fails([{ at: { u: 0.3 } }], [0, 'at'], /nearest is node 1 at u = 0.25/, { shape: points, edges: undefined });
    expect(pinsOf([{ at: { s: 1 + 1e-7 } }], { shape: points, edges: undefined }).drives[0].pins[0].node).toBe(1);
    expectSceneError(
      () => pinsOf([{ at: { u: 0.2 } }, { at: { u: 0.4 } }, { at: { u: 0.6 } }], { edges: 3 }),
      ['rods', 0, 'edges'],
      /at least 4 edges/,
    );
  });
  it('pins that hold the same thing', () => {
    fails([{}, { at: { node: 0 }, hold: 'position' }], [1], /pin 1.*holds the position.*pin 0.*already/);
    fails([{ hold: 'tangent' }, { hold: 'frame' }], [1], /orientation/);
    expect(pinsOf([{ hold: 'tangent' }, { hold: 'position' }]).drives[0].pins).toHaveLength(2);
    expect(
      pinsOf([
        { hold: 'position', axes: ['x'] },
        { hold: 'position', axes: ['y'] },
      ]).drives[0].pins,
    ).toHaveLength(2);
  });
  it('more length than there is', () => {
    const inextensible = { inextensible: true };
    fails(
      [{}, { at: 'end', position: [2.1, 0, 0] }],
      [1],
      /pin 0.*and pin 1.*2.10000 m apart at t = 0 s.*inextensible/,
      inextensible,
    );
    fails(
      [{ hold: 'position' }, { at: 'end', path: { keys: [{ time: 0 }, { time: 4, offset: [0, 1, 0] }] } }],
      [1],
      /at t = 4 s/,
      inextensible,
    );
    // released before, or free along the axis
    expect(
      pinsOf(
        [{ release: 2 }, { at: 'end', path: { keys: [{ time: 0 }, { time: 4, offset: [0, 1, 0] }] } }],
        inextensible,
      ).rods,
    ).toHaveLength(1);
    expect(
      pinsOf(
        [
          { hold: 'position', axes: ['y', 'z'] },
          { at: 'end', position: [2.1, 0, 0] },
        ],
        inextensible,
      ).rods,
    ).toHaveLength(1);
    // on a ring the short way counts
    fails([{ at: { u: 0.1 } }, { at: { u: 0.9 }, position: [9, 0, 0] }], [1], /1.25664 m long/, {
      ...inextensible,
      shape: { type: 'ring', radius: 1 },
    });
  });
  it('poses', () => {
    fails([{ d1: [2, 0, 0] }], [0, 'd1'], /parallel to the tangent/);
    fails([{ tangent: [0, 0, 0] }], [0, 'tangent'], /zero vector/);
    fails([{ hold: 'position', tangent: [1, 0, 0] }], [0, 'tangent'], /no effect with hold: position/);
    fails([{ hold: 'tangent', d1: [0, 1, 0] }], [0, 'd1'], /no effect/);
    fails([{ hold: 'frame', position: [0, 0, 0] }], [0, 'position'], /no effect/);
    fails([{ hold: 'frame', axes: ['x'] }], [0, 'axes'], /no effect/);
    fails([{ axes: [] }], [0, 'axes'], /no axis/);
  });
  it('times', () => {
    fails([{ release: -1 }], [0, 'release'], /times start at 0/);
    fails([{ path: { keys: [] } }], [0, 'path', 'keys'], /empty/);
    fails([{ path: { keys: [{ time: -1 }] } }], [0, 'path', 'keys', 0, 'time'], /times start at 0/);
    fails([{ path: { keys: [{ time: 1 }, { time: 1 }] } }], [0, 'path', 'keys', 1, 'time'], /increasing/);
  });
});

describe('pins on one path', () => {
  const path = (turn: [number, number, number], last: number, interpolation?: 'linear'): PathSpec => ({
    keys: [{ time: 0 }, { time: 1, offset: [0, 0, 0.3], rotation: turn }, { time: 2, offset: [0, 0, last] }],
    ...(interpolation && { interpolation }),
  });
  // the turn is twist where the tangent lies along it
  const specs: Partial<PinSpec>[] = [
    { path: path([0, 0, 0], 0.4) },
    { path: path([0, 0, 0], 0.4) },
    { path: path([0, 0, 0], 0.5) },
    { path: path([0, 0, 0], 0.5, 'linear') },
    { path: path([0.5, 0, 0], 0.5) },
    { path: path([0.5, 0, 0], 0.5), tangent: [0, 1, 0] },
    { path: path([0.5, 0, 0], 0.5), tangent: [1, 0, 0] },
  ];
  const tell = (pin: Pin): number[] =>
    [0.3, 0.7, 1.6].flatMap((t) => {
      const { position, velocity, tangent, director, twist } = poseAt(pin, t);
      return [...position, ...velocity, ...tangent, ...director, twist];
    });
  it('go as each would by itself, and share what they have in common', () => {
    const others = specs.map((spec) => {
      // one between that shares nothing
      pinOf({ path: path([0, 0, 0], 9) });
      return tell(pinOf(spec));
    });
    const together = specs.map((spec) => pinOf(spec));
    expect(together.map(tell)).toEqual(others);
    expect(new Set(others.map(String)).size).toBeGreaterThanOrEqual(5);
  });
});
