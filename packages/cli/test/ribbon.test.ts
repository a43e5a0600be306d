/** Rods with their true section and a stripe that shows twist. */
import { createWorld, type Scene, type SectionSpec } from '@tendril-sim/core';
import { recordingHeader } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { drawPicture } from '../src/plot/picture.ts';
import { createPrism, drawPrismPiece, drawStripe, type Prism } from '../src/plot/ribbon.ts';

const scene = (section: SectionSpec): Scene => ({
  tendril: 1,
  rods: [
    {
      id: 'ribbon',
      shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
      edges: 20,
      section,
      material: {
        E: {
          along: [
            [0, 1e6],
            [1, 3e6],
          ],
        },
        nu: 0.4,
        density: 1000,
      },
    },
  ],
});
const outlineOf = (section: SectionSpec) =>
  recordingHeader(createWorld(scene(section)), { version: '' }).rods[0].section;

describe('outlines of sections', () => {
  it('are those of the scene, also where they vary', () => {
    const plate = outlineOf({
      type: 'rectangle',
      width: {
        along: [
          [0, 0.04],
          [1, 0.02],
        ],
      },
      height: 0.002,
    });
    expect(plate?.shape).toBe('rectangle');
    expect(plate?.edgeHalfWidth[0]).toBeCloseTo(0.02 - 0.25e-3, 5);
    expect(plate?.edgeHalfWidth[19]).toBeCloseTo(0.01 + 0.25e-3, 5);
    for (const half of plate?.edgeHalfHeight ?? []) expect(half).toBeCloseTo(0.001, 5);
    const oval = outlineOf({ type: 'ellipse', a: 0.003, b: 0.007 });
    expect(oval?.edgeHalfWidth[7]).toBeCloseTo(0.003, 12);
    expect(oval?.edgeHalfHeight[7]).toBeCloseTo(0.007, 12);
  });

  it('are those of an ellipse where the section is given by two stiffnesses and a radius', () => {
    const flat = outlineOf({ type: 'stiffness', EI1: 1, EI2: 16, GJ: 1, mass: 1, radius: 0.01 });
    expect([flat?.shape, flat?.edgeHalfWidth[3], flat?.edgeHalfHeight[3]]).toEqual([
      'ellipse',
      expect.closeTo(0.02, 12),
      expect.closeTo(0.005, 12),
    ]);
  });

  it('are absent where the section is round or its size is not known', () => {
    expect(outlineOf({ type: 'circle', radius: 0.01 })).toBeUndefined();
    expect(outlineOf({ type: 'stiffness', EI1: 1, EI2: 2, GJ: 1, mass: 1 })).toBeUndefined();
  });
});

/** A flat strip along x, 0.2 m wide along d1, turned by an angle about x; seen along −z at 100 px per metre. */
function strip(angle: number): Prism {
  const director = [0, Math.cos(angle), Math.sin(angle)];
  return createPrism({
    points: [0, 0, 0, 1, 0, 0],
    closed: false,
    parts: 1,
    director,
    section: { shape: 'rectangle', edgeHalfWidth: [0.1], edgeHalfHeight: [0.02] },
    radius: [0.05],
    scale: 100,
    least: 3,
    place: (points) => Float64Array.from(points, (value, i) => (i % 3 === 1 ? -100 : 100) * value),
  });
}

describe('a ribbon on the page', () => {
  it('has the width and the height of its section', () => {
    const { corners, count } = strip(0.3);
    const distance = (a: number, b: number): number =>
      Math.hypot(...[0, 1, 2].map((k) => corners[3 * a + k] - corners[3 * b + k]));
    expect(count).toBe(4);
    expect([distance(0, 1), distance(1, 2)]).toEqual([expect.closeTo(4, 9), expect.closeTo(20, 9)]);
  });

  it('shows the faces towards the reader: one where it lies flat, two where it is turned', () => {
    const faces = (angle: number): number =>
      drawPrismPiece(strip(angle), 0, 1, '#336699', 'none').filter((part) => part.startsWith('<polygon')).length -
      drawStripe(strip(angle), 0, 1, '#ffffff').length;
    expect([faces(0), faces(0.3), faces(Math.PI - 0.3)]).toEqual([1, 2, 2]);
  });

  it('shows its stripe on one side only, so that half a turn hides it', () => {
    const seen = (angle: number): boolean => drawStripe(strip(angle), 0, 1, '#ffffff').length > 0;
    expect([0, 1, 2, Math.PI, 4, 6].map(seen)).toEqual([true, true, false, false, false, true]);
  });

  it('is in the picture where directors are known', () => {
    const rod = { id: 'a', closed: false, radius: [0.05], frames: [[0, 0, 0, 1, 0, 0]] };
    const section = { shape: 'rectangle', edgeHalfWidth: [0.1], edgeHalfHeight: [0.02] } as const;
    const draw = (more: object): string => drawPicture({ title: 't', times: [0], rods: [{ ...rod, ...more }] });
    expect(draw({ section })).not.toContain('<polygon');
    expect(draw({ section, director: [0, 1, 0] })).toContain('<polygon');
  });
});
