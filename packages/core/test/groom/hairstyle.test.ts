import { describe, expect, it } from 'vitest';
import { growHairstyle } from '../../src/groom/grow.ts';
import { writeHairs } from '../../src/groom/hairs.ts';
import {
  fiberSection,
  guideOf,
  type Hairstyle,
  hairsOf,
  poseGuides,
  settleHairstyle,
} from '../../src/groom/hairstyle.ts';
import { rodsOfHairstyle } from '../../src/groom/rods.ts';
import { combHairstyle, curlHairstyle, cutHairstyle } from '../../src/groom/styling.ts';
import { reconstructHelices } from '../../src/models/helix/strand.ts';
import { createSurface } from '../../src/surface/surface.ts';
import { createWorld } from '../../src/world/world.ts';
import { ball, square } from './meshes.ts';

const head = createSurface(ball(0.1, 24, 48));
const scalp = ({ normal }: { readonly normal: ArrayLike<number> }): number => (normal[2] > 0.2 ? 1 : 0);
const guides = { count: 30, density: scalp, spread: true };

const tip = (style: Hairstyle, g: number): number[] => {
  const { position } = reconstructHelices(guideOf(style, g), 4);
  return [...position.slice(-3)];
};
const at = (values: Float64Array, g: number): number[] => [...values.slice(3 * g, 3 * g + 3)];
const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(...a.map((x, k) => x - b[k]));

describe('growing', () => {
  it('goes along the normals, with the length of the map', () => {
    const length = ({ position }: { readonly position: ArrayLike<number> }): number => 0.1 + position[0];
    const { style, report } = growHairstyle(head, { guides, length, settle: false });
    expect(report).toMatchObject({ guides: 30, hairs: 0, elements: 10 });
    for (let g = 0; g < 30; g++) {
      const [p, n] = [at(style.guideRoots.position, g), at(style.guideRoots.normal, g)];
      expect(style.length[g]).toBeCloseTo(0.1 + p[0], 12);
      expect(
        distance(
          tip(style, g),
          p.map((x, k) => x + style.length[g] * n[k]),
        ),
      ).toBeLessThan(1e-12);
    }
  });

  it('winds curls about the normals, in phase with each other', () => {
    const curl = { radius: 0.004, pitch: 0.012 };
    const { style, report } = growHairstyle(createSurface(square(3)), {
      guides: { count: 20 },
      length: 0.08,
      curl,
      settle: false,
    });
    expect(report.elements).toBe(10);
    const rise = curl.pitch / (2 * Math.PI);
    const height = (0.08 * rise) / Math.hypot(rise, curl.radius);
    const first = tip(style, 0).map((x, k) => x - at(style.guideRoots.position, 0)[k]);
    expect(first[2]).toBeCloseTo(height, 10);
    for (let g = 0; g < 20; g++) {
      // on a plane all are the same curl, moved
      const offset = tip(style, g).map((x, k) => x - at(style.guideRoots.position, g)[k]);
      expect(distance(offset, first)).toBeLessThan(1e-12);
      const { position } = reconstructHelices(guideOf(style, g), 8);
      // all points are at the radius from one axis: take three to find it
      const xs = Array.from({ length: position.length / 3 }, (_, i) => [position[3 * i], position[3 * i + 1]]);
      const root = at(style.guideRoots.position, g);
      const side = at(style.guideRoots.side, g);
      const center = [root[0] - curl.radius * side[0], root[1] - curl.radius * side[1]];
      for (const x of xs) expect(Math.hypot(x[0] - center[0], x[1] - center[1])).toBeCloseTo(curl.radius, 9);
    }
    const jittered = growHairstyle(createSurface(square(3)), {
      guides: { count: 20 },
      length: 0.08,
      curl,
      settle: false,
      phaseJitter: 2,
    });
    expect(distance(tip(jittered.style, 0), tip(style, 0))).toBeGreaterThan(1e-4);
  });

  it('hangs where the world finds it hanging', () => {
    const { style, report } = growHairstyle(head, { guides: { ...guides, count: 12 }, length: 0.12, hair: 'wavy' });
    expect(report).toMatchObject({ failed: 0, guides: 12 });
    const still = growHairstyle(head, { guides: { ...guides, count: 12 }, length: 0.12, hair: 'wavy', settle: false });
    let fall = 0;
    for (let g = 0; g < 12; g++) fall += (tip(still.style, g)[2] - tip(style, g)[2]) / 12;
    expect(fall).toBeGreaterThan(0.01);
    const { rods, pins } = rodsOfHairstyle(style, { perElement: 2 });
    const world = createWorld({
      tendril: 1,
      gravity: style.gravity,
      rods,
      pins,
      solver: { helix: { elements: style.elements } },
    });
    world.equilibrate();
    const { position } = poseGuides(style, 2);
    const nodes = 2 * style.elements + 1;
    let moved = 0;
    world.samples.forEach(({ nodePosition }, g) => {
      for (let k = 0; k < nodePosition.length; k++)
        moved = Math.max(moved, Math.abs(nodePosition[k] - position[3 * nodes * g + k]));
    });
    // the scene clamps along the spline through the points: 2e-4 rad off
    expect(moved).toBeLessThan(5e-4 * 0.12);
  });

  it('has the stiffness of an ellipse', () => {
    const { EI1, EI2, GJ, mass } = fiberSection({ a: 2e-5, b: 1e-5, E: 1e9, G: 5e8, density: 1000 });
    expect(EI2 / EI1).toBeCloseTo(4, 12);
    expect(GJ).toBeCloseTo((5e8 * Math.PI * 8e-15 * 1e-15) / 5e-10, 20);
    expect(mass).toBeCloseTo(1000 * Math.PI * 2e-10, 15);
  });

  it('refuses what cannot grow', () => {
    const grow =
      (more: object): (() => unknown) =>
      () =>
        growHairstyle(head, { guides, length: 0.1, ...more });
    expect(grow({ length: -0.1 })).toThrow(/length|zero or more, got -0.1/);
    expect(grow({ length: 0 })).toThrow(/nothing grows/);
    expect(grow({ length: 1e-300 })).toThrow(/nothing grows/);
    expect(grow({ length: () => Number.NaN })).toThrow(/NaN at root 0/);
    expect(grow({ guides: { count: 0 } })).toThrow(/how many/);
    expect(grow({ hairs: { count: 0 } })).toThrow(/how many/);
    expect(grow({ hair: 'frizzled' })).toThrow(/unknown hair type 'frizzled'/);
    expect(grow({ curl: { radius: -1, pitch: 0.1 } })).toThrow(/radius must be positive/);
    expect(grow({ curl: { radius: 0.003, pitch: 0.004 }, elements: 2 })).toThrow(/each turn \d.* times; use at least/);
    expect(grow({ curl: { radius: 1e-7, pitch: 0 } })).toThrow(/winds/);
    expect(grow({ lengthJitter: 2 })).toThrow(/from 0 to/);
  });

  it('leaves out roots where the length is zero, and never leans into the skin', () => {
    const { style } = growHairstyle(head, {
      guides,
      length: ({ position }) => (position[0] > 0 ? 0.1 : 0),
      lean: [0, 0, -5],
      settle: false,
    });
    expect(style.guideRoots.count).toBeLessThan(25);
    for (let g = 0; g < style.guideRoots.count; g++) {
      expect(style.guideRoots.position[3 * g]).toBeGreaterThan(0);
      const [t, n] = [at(style.rootTangent, g), at(style.guideRoots.normal, g)];
      expect(t[0] * n[0] + t[1] * n[1] + t[2] * n[2]).toBeGreaterThan(0.17);
    }
  });
});

describe('styling', () => {
  const { style } = growHairstyle(head, { guides, length: 0.15, hair: 'wavy' });

  it('cuts to a length and at a plane, and leaves what is above', () => {
    const { style: short, cut } = cutHairstyle(style, { length: 0.09 });
    expect(cut).toBe(30);
    const { style: bob, cut: crossed } = cutHairstyle(style, { plane: { point: [0, 0, 0.04], normal: [0, 0, -1] } });
    expect(crossed).toBeGreaterThan(5);
    for (let g = 0; g < 30; g++) {
      expect(short.length[g]).toBe(0.09);
      const whole = reconstructHelices(guideOf(style, g), 10).position;
      const left = tip(short, g);
      const same = [...whole.slice(3 * 60, 3 * 61)];
      // six of ten elements become ten
      expect(distance(left, same)).toBeLessThan(2e-4);
      if (bob.length[g] < 0.15 && bob.length[g] > 0.002) expect(tip(bob, g)[2]).toBeCloseTo(0.04, 2);
    }
    // a curl stays the same curl
    const { style: half } = cutHairstyle({ ...style, curvature: style.natural }, { length: 0.075 });
    half.curvature.slice(0, 30).forEach((value, d) => {
      expect(value).toBeCloseTo(style.natural[d], 10);
    });
    expect(() => cutHairstyle(style, { length: -1 })).toThrow(/positive/);
    expect(() => cutHairstyle(style, {})).toThrow(/give the length/);
    expect(cutHairstyle(style, { length: 0.05, where: 0 }).cut).toBe(0);
  });

  it('combs what the comb meets, keeps lengths, and the hair stays', () => {
    const [x, y, z] = tip(style, 3);
    const from: [number, number, number] = [x, y, z];
    const to: [number, number, number] = [x + 0.05, y, z];
    const { style: combed, report } = combHairstyle(style, { from, to, radius: 0.05 });
    expect(report.combed).toBeGreaterThan(2);
    expect(report.combed).toBeLessThan(30);
    expect(report.error).toBeLessThan(0.005);
    let shift = 0;
    for (let g = 0; g < 30; g++) shift = Math.max(shift, tip(combed, g)[0] - tip(style, g)[0]);
    expect(shift).toBeGreaterThan(0.02);
    expect(combed.length).toEqual(style.length);
    const again = settleHairstyle(combed).style;
    for (let g = 0; g < 30; g++) expect(distance(tip(again, g), tip(combed, g))).toBeLessThan(1e-4);
    expect(combHairstyle(style, { from: [9, 9, 9], to, radius: 1e-3 }).report.combed).toBe(0);
    expect(() => combHairstyle(style, { from, to, radius: 0 })).toThrow(/positive/);
    expect(() => combHairstyle(style, { from, to, radius: 1, strength: 3 })).toThrow(/from 0 to 1/);
  });

  it('curls and straightens', () => {
    const { style: curled } = curlHairstyle(style, { curl: { radius: 0.008, pitch: 0.03 }, settle: false });
    expect(curled.natural[0]).toBeCloseTo(0.008 / (0.008 ** 2 + (0.03 / (2 * Math.PI)) ** 2), 9);
    const { style: straight } = curlHairstyle(curled, { settle: false });
    expect(distance(tip(straight, 3), at(style.guideRoots.position, 3))).toBeCloseTo(0.15, 12);
    const some = curlHairstyle(style, {
      curl: { radius: 0.008, pitch: 0.03 },
      where: ({ position }) => (position[0] > 0 ? 1 : 0),
    });
    expect(some.report.guides).toBeGreaterThan(5);
    expect(some.report.guides).toBeLessThan(25);
    expect(() => curlHairstyle(style, { curl: { radius: 1e-4, pitch: 1e-4 } })).toThrow(/use at least/);
  });
});

it('grows a whole head without a guide that fails', () => {
  const { style, report } = growHairstyle(head, {
    guides: { count: 200, density: scalp, spread: true },
    length: 0.2,
    lengthJitter: 0.1,
    hair: 'wavy',
    hairs: { count: 10_000, density: scalp, clump: 0.4 },
  });
  const hairs = hairsOf(style);
  if (!hairs) throw new Error('no hairs');
  const pose = poseGuides(style);
  const out = new Float32Array(3 * 21 * hairs.count);
  writeHairs(out, hairs, pose, 21);
  expect(out.every(Number.isFinite)).toBe(true);
  expect(report.failed).toBe(0);
});
