/** Frames of hair as the view reads them. */

import { expect, it } from 'vitest';
import { createRecords, writeSamples } from '../../bridge/src/three/records.ts';
import { layoutOf } from '../src/frameLayout.ts';
import { packHairs } from '../src/worker/groom/draw.ts';

it('have no edge that counts as broken, so that every hair has its direction', () => {
  const [count, nodes] = [3, 5];
  const position = Float32Array.from({ length: 3 * count * nodes }, (_, k) =>
    k % 3 === 2 ? -0.01 * Math.floor(k / 3) : 0,
  );
  const data = packHairs(position, count, nodes);
  const rod = {
    nodeCount: nodes,
    edgeCount: nodes - 1,
    closed: false,
    edgeRadius: new Float32Array(nodes - 1).fill(1e-4),
  };
  const { rods } = layoutOf({ rods: Array.from({ length: count }, () => rod) as never, bodies: [], moving: [] });
  const records = createRecords(Array.from({ length: count }, () => rod));
  writeSamples(
    records,
    rods.map(({ position: at, director }) => ({
      nodePosition: data.subarray(at, at + 3 * nodes),
      edgeDirector: data.subarray(director, director + 3 * (nodes - 1)),
    })),
  );
  for (let node = 0; node < records.count; node++) {
    const [x, y, z, isBroken] = records.dynamic.slice(12 * node + 4, 12 * node + 8);
    if (Math.hypot(x, y, z) === 0) continue;
    expect([x, y, z]).toEqual([0, 0, -1]);
    expect(isBroken).toBe(0);
  }
  // a tangent at every node, none at the records between hairs
  const withTangent = Array.from({ length: records.count }, (_, k) => records.dynamic[12 * k + 6]).filter(
    (z) => z === -1,
  );
  expect(withTangent).toHaveLength(count * nodes);
});
