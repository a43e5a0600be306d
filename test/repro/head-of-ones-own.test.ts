/** A head as artists export it: flat-shaded (no shared vertices), open at the neck, some faces turned, in centimetres with y up. */
import {
  createHeadField,
  createSurface,
  growHairstyle,
  hairsOf,
  layHairs,
  layHairstyle,
  type MeshInput,
  poseGuides,
  writeHairs,
} from '@tendril-sim/core';
import { contact } from '@tendril-sim/core/contact';
import { decodeHairstyle, encodeHairstyle, headMotions, parseScene, writeHairScene } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../packages/core/src/world/world.ts';
import { createFileResolver } from '../../packages/io/src/resolve.ts';

const toObj = ({ position, triangle }: MeshInput): string => {
  const lines: string[] = [];
  for (let i = 0; i < position.length; i += 3) lines.push(`v ${position[i]} ${position[i + 1]} ${position[i + 2]}`);
  for (let i = 0; i < triangle.length; i += 3)
    lines.push(`f ${triangle[i] + 1} ${triangle[i + 1] + 1} ${triangle[i + 2] + 1}`);
  return lines.join('\n');
};

/** An egg of 16 × 20 × 24 cm, without its lowest part; every triangle has its own vertices, every seventh faces inwards. */
function flatShadedHead(): MeshInput {
  const at = (i: number, k: number): number[] => {
    const [polar, turn] = [(Math.PI * i) / 14, (2 * Math.PI * k) / 20];
    return [0.08 * Math.sin(polar) * Math.cos(turn), 0.1 * Math.sin(polar) * Math.sin(turn), 0.12 * Math.cos(polar)];
  };
  const position: number[] = [];
  const triangle: number[] = [];
  const add = (...corners: number[][]): void => {
    const first = position.length / 3;
    position.push(...corners.flat());
    triangle.push(...((first / 3) % 7 === 0 ? [first, first + 2, first + 1] : [first, first + 1, first + 2]));
  };
  for (let i = 0; i < 12; i++)
    for (let k = 0; k < 20; k++) {
      if (i > 0) add(at(i, k), at(i + 1, k), at(i, k + 1));
      add(at(i + 1, k), at(i + 1, k + 1), at(i, k + 1));
    }
  return { position, triangle };
}

const head = flatShadedHead();
const surface = createSurface(head);
const field = createHeadField(surface);
const grown = growHairstyle(surface, {
  guides: { count: 12, spread: true, density: ({ normal }) => (normal[2] > 0.1 ? 1 : 0) },
  length: 0.2,
  lean: [0, 0, -0.4],
  hairs: { count: 300, density: ({ normal }) => (normal[2] > 0.1 ? 1 : 0) },
}).style;
const skin = { position: surface.position, triangle: surface.triangle };
if (!field) throw new Error('the head has no inside');
const laid = { ...layHairstyle(grown, field).style, skin };

/** Curves of a list that run deeper under the skin than hair is thick, with places between the nodes. */
function countInside(position: Float64Array, nodes: number): number {
  const p = new Float64Array(3);
  let inside = 0;
  for (let h = 0; h < position.length / 3 / nodes; h++) {
    let depth = 0;
    for (let i = 1; i < nodes; i++)
      for (const part of [0.25, 0.5, 0.75, 1]) {
        const o = 3 * (nodes * h + i);
        for (let k = 0; k < 3; k++) p[k] = position[o - 3 + k] + part * (position[o + k] - position[o - 3 + k]);
        depth = Math.max(depth, -(field?.distance(p, 0) ?? 0));
      }
    if (depth > 5e-5) inside++;
  }
  return inside;
}

describe('hair on a head of one’s own', () => {
  it('lies on the head and does not run through it', () => {
    const free = poseGuides(grown);
    expect(countInside(free.position, free.nodes)).toBeGreaterThan(2);
    const pose = poseGuides(laid);
    expect(countInside(pose.position, pose.nodes)).toBe(0);
    const hairs = hairsOf(laid);
    if (!hairs) throw new Error('no hairs');
    const position = new Float64Array(3 * 21 * hairs.count);
    writeHairs(position, hairs, pose, 21);
    expect(countInside(position, 21)).toBeGreaterThan(0);
    layHairs(position, hairs, 21, { field, pose });
    expect(countInside(position, 21)).toBe(0);
  });

  it('simulates on the mesh that it grew on, with contact solved in every step', () => {
    const text = writeHairScene(laid, {
      title: 'own head',
      hairFile: 'own.hairstyle',
      headFile: 'own.obj',
      motion: headMotions.shake,
      edges: 20,
      duration: 0.06,
      step: 0.004,
      output: 0.02,
    });
    expect(text).toContain('rods: "hair-*"');
    const files = createFileResolver((name) =>
      name === 'own.obj' ? new TextEncoder().encode(toObj(head)) : encodeHairstyle(laid, 'test'),
    );
    const { scene } = parseScene(text, 'own.yaml', { files });
    expect(scene.welds).toHaveLength(12);
    const world = createWorld(scene, { contact });
    expect(world.warnings).toEqual([expect.stringMatching(/vertices.*joined.*faced the wrong way.*1 hole is closed/)]);
    const root = world.samples[0].nodePosition.slice(0, 3);
    let split = 0;
    let missed = 0;
    let contacts = 0;
    for (let k = 0; k < 60; k++) {
      const report = world.step();
      if (report.substeps > 1) split++;
      if (!report.contact?.converged) missed++;
      contacts = Math.max(contacts, report.contact?.contacts ?? 0);
    }
    expect({ split, missed }).toEqual({ split: 0, missed: 0 });
    expect(contacts).toBeGreaterThan(0);
    // the roots ride on the head
    const now = world.samples[0].nodePosition;
    const angle = Math.atan2(now[1], now[0]) - Math.atan2(root[1], root[0]);
    expect(angle).toBeGreaterThan(0.02);
    expect(Math.hypot(now[0], now[1])).toBeCloseTo(Math.hypot(root[0], root[1]), 9);
  });

  it('keeps the skin in the file of the hairstyle', () => {
    expect(decodeHairstyle(encodeHairstyle(laid, 'test'), 'x').skin).toEqual(skin);
    expect(decodeHairstyle(encodeHairstyle(grown, 'test'), 'x').skin).toBeUndefined();
  });
});
