/** Rows about hair on a mesh and files: a head of hair grown, and a recording written for other programs. */
import { createHeadField, createSurface, growHairstyle, layHairstyle } from '@tendril-sim/core';
import { exportUsda, type Footage } from '@tendril-sim/io';
import { time } from './measure.ts';
import type { Row } from './rows.ts';

/** A ball of 10 cm. */
function head(): { position: number[]; triangle: number[] } {
  const [rings, corners, radius] = [24, 48, 0.1];
  const position: number[] = [];
  const triangle: number[] = [];
  for (let i = 0; i <= rings; i++)
    for (let k = 0; k < corners; k++) {
      const [polar, turn] = [(Math.PI * i) / rings, (2 * Math.PI * k) / corners];
      const s = radius * Math.sin(polar);
      position.push(s * Math.cos(turn), s * Math.sin(turn), radius * Math.cos(polar));
      const at = (row: number, column: number): number => row * corners + (column % corners);
      if (i < rings) triangle.push(at(i, k), at(i + 1, k), at(i, k + 1), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1));
    }
  return { position, triangle };
}

/** 500 guides and 100,000 hairs: grown, hanging, laid over the head. */
export function growRow(): Row {
  const mesh = head();
  const density = ({ normal }: { readonly normal: ArrayLike<number> }): number => (normal[2] > 0.2 ? 1 : 0);
  const timing = time(() => {
    const surface = createSurface(mesh);
    const { style } = growHairstyle(surface, {
      guides: { count: 500, density, spread: true },
      length: 0.25,
      hair: 'wavy',
      hairs: { count: 100_000, density, clump: 0.3 },
    });
    const field = createHeadField(surface);
    if (!field || layHairstyle(style, field).report.inside > 0) throw new Error('hair is inside the head');
  });
  return {
    name: 'groom-500-100000',
    nodes: 100_000,
    timing,
    iterations: 0,
    note: '500 guides settled and laid over a head, 100,000 hairs; goal: 1 s',
  };
}

/** One frame of 1,000 strands of 31 nodes as USD; 240 of them are the goal that memory must not grow with. */
export function usdaRow(): Row {
  const [strands, nodes] = [1000, 31];
  const lengths = new Array<number>(nodes - 1).fill(0.01);
  const rods = Array.from({ length: strands }, (_, k) => ({
    id: `hair-${k}`,
    model: 'der',
    closed: false,
    nodeCount: nodes,
    edgeCount: nodes - 1,
    edgeLengthRest: lengths,
    edgeRadius: lengths.map(() => 4e-5),
  }));
  const nodePosition = Float64Array.from({ length: 3 * nodes }, (_, i) => Math.sin(i) / 7);
  const edgeDirector = Float64Array.from({ length: 3 * nodes - 3 }, (_, i) => (i % 3 === 0 ? 1 : 0));
  const energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
  const frame = { time: 0, energies, rods: rods.map(() => ({ nodePosition, edgeDirector })) };
  const footage: Footage = {
    header: { version: '', scene: { tendril: 1, rods: [] }, rods },
    frameCount: 1,
    frame: () => frame,
  };
  let characters = 0;
  const timing = time(() => {
    for (const chunk of exportUsda(footage)) characters += chunk.length;
  });
  if (characters === 0) throw new Error('nothing was written');
  return {
    name: 'export-usda-1000x31',
    nodes: strands * nodes,
    timing,
    iterations: 0,
    note: 'one frame, points and normals',
  };
}
