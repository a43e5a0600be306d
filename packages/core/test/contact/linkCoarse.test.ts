/** What a cloth has wrong over lengths of many links, and its correction. */
import { describe, expect, it } from 'vitest';
import { type CoarseArrays, type CoarseGroup, correctCoarse, weighCoarse } from '../../src/contact/links/coarse.ts';
import { gather, prolong, restrict } from '../../src/contact/links/coarseBasis.ts';
import { makeCoarse } from '../../src/contact/links/coarseCells.ts';
import type { Links } from '../../src/contact/links/linkData.ts';
import { selectLinks } from '../../src/contact/links/linkSides.ts';
import { createLinks } from '../../src/contact/links/links.ts';
import { type LinkLoopArrays, UNPLACED } from '../../src/contact/links/loops.ts';
import { RELAXATION } from '../../src/contact/solve/vectorLoops.ts';
import { createSamples } from '../../src/port.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import { sidesOf } from './support.ts';

const N = 48;

/** Links of a cloth of N × N fibers, and one that holds a fiber to a point. */
function createCloth(): { links: Links; rods: number } {
  const compiled = compileScene({
    tendril: 1,
    rods: [],
    weaves: [
      {
        id: 'cloth',
        center: [1, 2, 3],
        warp: { count: N, spacing: 0.01 },
        edges: 1,
        section: { type: 'circle', radius: 3e-5 },
        material: { E: 3.58e9, G: 1.07e9, density: 1107 },
        joints: { stiffness: 10, rotation: { about: 'normal', stiffness: 5e-8 } },
      },
    ],
    links: [{ rod: 'cloth warp 3', at: 'start', to: { point: [0.75, 1.8, 3] }, stiffness: 1 }],
  });
  const samples = compiled.rods.map((rod) => {
    const own = createSamples(rod);
    own.nodePosition.set(rod.nodePosition);
    return own;
  });
  const links = createLinks(compiled.links, compiled.rods, samples);
  selectLinks(links, links.every);
  let at = 0;
  for (let j = 0; j < links.every.rods.length; j++) {
    links.rows.first[j] = at;
    at += links.entryOfRod[j + 1] - links.entryOfRod[j];
    links.rows.last[j] = at;
  }
  return { links, rods: compiled.rods.length };
}

const countSides = ({ entryOfRod, every }: Links): number => entryOfRod[every.rods.length];

/** Rods that move as wholes, with masses glued on: H = m + Σρ for each. */
function createArrays(
  links: Links,
  own: (rod: number) => number,
): { arrays: CoarseArrays & LinkLoopArrays; asked: number[] } {
  const count = countSides(links);
  const rod = new Int32Array(count);
  const { first, last } = links.rows;
  links.every.rods.forEach((r, j) => {
    rod.fill(r, first[j], last[j]);
  });
  const mass = Float64Array.from({ length: count }, (_, s) => 1 + 0.3 * Math.sin(s));
  const asked: number[] = [];
  const port: CoarseArrays['bundles'][number]['port'] = {
    systemOfRod: Int32Array.from(links.every.rods.keys()),
    solve(velocity, impulse, _, systems) {
      asked.push(systems ? systems.reduce((sum, x) => sum + x, 0) : -1);
      links.every.rods.forEach((_r, j) => {
        if (systems && !systems[j]) return;
        for (let k = 0; k < 3; k++) {
          let [sum, total] = [0.7 * own(j), own(j)];
          for (let s = first[j]; s < last[j]; s++) {
            sum += impulse[3 * s + k];
            total += mass[s];
          }
          for (let s = first[j]; s < last[j]; s++) velocity[3 * s + k] = sum / total;
        }
      });
    },
  };
  const [velocityChange, right] = [new Float64Array(3 * count), new Float64Array(3 * count)];
  const systems = new Uint8Array(links.every.rods.length).fill(1);
  const sides = sidesOf(Array.from(rod, (r) => ({ rod: r })));
  const bundles = [{ port, sides, from: 0, systems, velocityChange, right }];
  return { arrays: { ...UNPLACED, rod, mass, velocityChange, right, bundles }, asked };
}

const createGroup = (links: Links): CoarseGroup => ({
  set: links.every,
  all: links,
  rows: links.rows,
  shared: undefined,
});

describe('velocities that are smooth over cells', () => {
  const { links } = createCloth();
  const rows = makeCoarse(links, links.every, 40, (bytes) => new ArrayBuffer(bytes));
  if (!rows) throw new Error('no cells');
  const { first } = links.rows;
  const count = countSides(links);
  const rods = links.every.rods.length;

  it('have as many corners as may be: 6 × 6, all of one plane', () => {
    expect(rows.move.length / 3).toBe(36);
  });
  it('move both ends of a link alike, all as one where all corners do, and not what a point holds', () => {
    for (let i = 0; i < rows.move.length; i++) rows.move[i] = [1, -2, 3][i % 3] + Math.sin(i);
    const velocity = new Float64Array(3 * count);
    prolong(rows, first, velocity, 0, rods);
    const { code, entry } = links.rows;
    const seen = new Map<number, number>();
    let differ = 0;
    for (let j = 0; j < rods; j++) {
      for (let s = first[j], e = entry[j]; s < links.rows.last[j]; s++, e++) {
        if (code[e] < 0) expect(velocity[3 * s]).toBe(0);
        const before = seen.get(code[e] >> 2);
        if (code[e] >= 0 && before !== undefined) expect(velocity[3 * s]).toBe(before);
        else if (code[e] >= 0) seen.set(code[e] >> 2, velocity[3 * s]);
        if (velocity[3 * s] !== velocity[0]) differ++;
      }
    }
    expect(differ).toBeGreaterThan(count / 2);
    for (let i = 0; i < rows.move.length; i++) rows.move[i] = [1, -2, 3][i % 3];
    velocity.fill(0);
    prolong(rows, first, velocity, 0, rods);
    const moved = velocity.filter((x, i) => i % 3 === 2 && Math.abs(x - 3) < 1e-12).length;
    expect(moved).toBe(count - 1);
  });
  it('and what sides have of them are each other’s adjoints, in any parts', () => {
    const mass = Float64Array.from({ length: count }, (_, s) => 2 + Math.cos(3 * s));
    const wrong = Float64Array.from({ length: 3 * count }, (_, i) => Math.sin(7 * i));
    const pull = new Float64Array(rows.move.length);
    restrict(rows, first, mass, wrong, 0, rods);
    gather(pull, rows);
    const whole = pull.slice();
    restrict(rows, first, mass, wrong, 17, rods);
    restrict(rows, first, mass, wrong, 0, 17);
    gather(pull, rows);
    expect([...pull]).toEqual([...whole]);
    for (let i = 0; i < rows.move.length; i++) rows.move[i] = Math.cos(i * i);
    const velocity = new Float64Array(3 * count);
    prolong(rows, first, velocity, 0, rods);
    const here = wrong.reduce((sum, x, i) => sum + mass[Math.floor(i / 3)] * x * velocity[i], 0);
    const there = pull.reduce((sum, x, i) => sum + x * rows.move[i], 0);
    expect(Math.abs(here)).toBeGreaterThan(0.1);
    expect(there).toBeCloseTo(here, 9);
  });
});

describe('the correction of what is smooth', () => {
  it.each([0.05, 5])('finds it in one turn, for rods of %d kg a glued one', (own) => {
    const { links } = createCloth();
    const { arrays, asked } = createArrays(links, () => own * N);
    const group = createGroup(links);
    const coarse = weighCoarse(group, arrays);
    if (!coarse) throw new Error('not positive');
    group.coarse = coarse;
    // some rods stand for all that go the same way
    expect(asked[0]).toBeGreaterThan(10);
    expect(asked[0]).toBeLessThan(links.every.rods.length);
    const { velocityChange, right, mass, bundles } = arrays;
    const { rows } = coarse;
    const [{ port, sides: own2 }] = bundles;
    // by how much sides are off, from balance, when copies have moved by P c
    const wrong = Float64Array.from(rows.move, (_, i) => 0.01 * Math.sin(0.7 * i) + [0.1, -0.2, 0.3][i % 3]);
    rows.move.set(wrong);
    const moved = new Float64Array(velocityChange.length);
    prolong(rows, links.rows.first, moved, 0, links.every.rods.length);
    right.fill(0);
    port.solve(velocityChange, right, own2);
    const rest = velocityChange.slice();
    for (let i = 0; i < right.length; i++) right[i] = mass[Math.floor(i / 3)] * moved[i];
    port.solve(velocityChange, right, own2);
    for (let i = 0; i < velocityChange.length; i++)
      velocityChange[i] = RELAXATION * (velocityChange[i] - rest[i] - moved[i]);
    correctCoarse(coarse, group, arrays);
    let [error, size] = [0, 0];
    for (let i = 0; i < wrong.length; i++) {
      // the part of a plain turn is taken off
      const found = rows.move[i] + (coarse.lumped[i] > 0 ? coarse.pull[i] / coarse.lumped[i] : 0);
      error = Math.max(error, Math.abs(found + wrong[i]));
      size = Math.max(size, Math.abs(wrong[i]));
    }
    expect(error).toBeLessThan(0.05 * size);
  });
  it('is left to one velocity for all where there are few links', () => {
    const { links } = createCloth();
    const group = { ...createGroup(links), set: { ...links.every, count: 500 } };
    expect(weighCoarse(group, createArrays(links, () => 1).arrays)).toBeUndefined();
  });
});
