import { describe, expect, it } from 'vitest';
import {
  type DriftArrays,
  type DriftGroup,
  energyOfPulls,
  shiftSides,
  sumPulls,
  weighWhole,
  writeShift,
} from '../../src/contact/links/drift.ts';
import { sidesOf } from './support.ts';

type Matrix = readonly (readonly number[])[];
const isotropic = (mass: number): Matrix => [0, 1, 2].map((k) => [0, 1, 2].map((m) => (k === m ? mass : 0)));

/** Solution of a 3 × 3 system by Cramer's rule. */
function solve3(a: Matrix, b: readonly number[]): number[] {
  const determinant = (m: Matrix): number =>
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
    m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
    m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return [0, 1, 2].map((k) => determinant(a.map((row, m) => row.map((x, j) => (j === k ? b[m] : x)))) / determinant(a));
}

/** Rods of one mass each that glued masses pull, and `ground` holds the first of: H = m + Σρ, plus what was out of balance. */
function createRods(own: readonly number[], sidesEach: number, ground: Matrix) {
  const count = own.length * sidesEach;
  const rod = Int32Array.from({ length: count }, (_, s) => Math.floor(s / sidesEach));
  const mass = Float64Array.from({ length: count }, (_, s) => 20 + s);
  const offset = 0.7;
  const port: DriftArrays['bundles'][number]['port'] = {
    solve(velocity, impulse) {
      own.forEach((m, r) => {
        const held = r === 0 ? ground : isotropic(0);
        const sides = Array.from(rod.keys()).filter((s) => rod[s] === r);
        const total = sides.reduce((sum, s) => sum + mass[s], m);
        const right = [0, 1, 2].map((k) => sides.reduce((sum, s) => sum + impulse[3 * s + k], m * offset));
        const v = solve3(
          held.map((row, k) => row.map((x, j) => x + (k === j ? total : 0))),
          right,
        );
        for (const s of sides) velocity.set(v, 3 * s);
      });
    },
  };
  const [velocityChange, right] = [new Float64Array(3 * count), new Float64Array(3 * count)];
  const sides = sidesOf(Array.from(rod, (r) => ({ rod: r })));
  const arrays: DriftArrays = { mass, velocityChange, right, bundles: [{ port, sides, velocityChange, right }] };
  const others = Array.from({ length: count / 2 }, () => ({ sideCount: 2, perEnd: 1 }));
  const group: DriftGroup = {
    set: { others },
    rows: {
      head: Float64Array.of(0, 0, 0, 0, 0, 0, own.length),
      pull: new Float64Array(3 * own.length),
      mass: Float64Array.from(own),
      first: Int32Array.from(own, (_, r) => r * sidesEach),
      last: Int32Array.from(own, (_, r) => (r + 1) * sidesEach),
    },
    whole: new Float64Array(9),
  };
  return { arrays, group, others, solve: () => port.solve(velocityChange, right, sides) };
}

/** What a turn adds to all sides. */
function correct({ rows, whole }: DriftGroup, { mass }: DriftArrays, change: Float64Array): void {
  const shift = new Float64Array(3);
  sumPulls(rows, mass, change, 0, rows.mass.length);
  writeShift(shift, { rows, whole }, 1);
  shiftSides(rows, change, shift, 0, rows.mass.length);
}

describe('what all rods of a group have wrong', () => {
  it.each([
    ['nothing', isotropic(0)],
    ['5 kg', isotropic(5)],
    [
      'what resists in other directions than it is pushed in',
      [
        [9, 3, -2],
        [3, 6, 4],
        [-2, 4, 7],
      ],
    ],
  ])('is corrected in one turn, held by %s', (_, ground) => {
    const { arrays, group, solve } = createRods([2, 3], 4, ground);
    weighWhole(group, arrays);
    // from balance (all at rest, where nothing is out of it) copies are moved by one velocity
    const wrong = [0.3, -0.2, 0.1];
    const { velocityChange, right, mass } = arrays;
    solve();
    const rest = velocityChange.slice();
    for (let i = 0; i < right.length; i++) right[i] = mass[Math.floor(i / 3)] * wrong[i % 3];
    solve();
    const change = velocityChange.map((v, i) => v - rest[i] - wrong[i % 3]);
    const before = change.slice();
    correct(group, arrays, change);
    for (let i = 0; i < change.length; i++) expect(change[i] - before[i]).toBeCloseTo(-wrong[i % 3], 12);
    expect(Math.abs(before[0])).toBeGreaterThan(1e-3);
  });
  it('is left alone where a link holds the group to a point', () => {
    const { arrays, group, others } = createRods([2, 3], 4, isotropic(0));
    others.push({ sideCount: 1, perEnd: 1 });
    weighWhole(group, arrays);
    expect([...group.whole]).toEqual(new Array(9).fill(0));
    const change = new Float64Array(24).fill(1);
    correct(group, arrays, change);
    expect([...change]).toEqual(new Array(24).fill(1));
  });
  it('counts as energy: pull² over the mass of each rod', () => {
    const { arrays, group } = createRods([2, 3], 4, isotropic(0));
    const wrong = new Float64Array(24);
    // one side of each rod is off along z
    wrong[2] = 0.1;
    wrong[3 * 4 + 2] = 0.2;
    expect(sumPulls(group.rows, arrays.mass, wrong, 0, 2)).toBeCloseTo((24 * 0.2) / 3, 12);
    expect(energyOfPulls(group.rows)).toBeCloseTo((20 * 0.1) ** 2 / 2 + (24 * 0.2) ** 2 / 3, 12);
  });
});
