/** Lines beside the rods of a lane: the initial shape, and the material frames. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from 'three';
import type { LaneInfo } from '../protocol.ts';
import type { LaneView } from './lane.ts';
/** The initial shape as thin lines. */
export function createGhost(info: LaneInfo): LineSegments {
  const points: number[] = [];
  for (const { nodePosition: x, edgeCount, nodeCount } of info.rods) {
    for (let j = 0; j < edgeCount; j++) {
      const b = 3 * ((j + 1) % nodeCount);
      points.push(x[3 * j], x[3 * j + 1], x[3 * j + 2], x[b], x[b + 1], x[b + 2]);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: '#8a93a3', transparent: true, opacity: 0.7 }));
}

/** d1 and d2 as ticks at the edges' middles. */
export function createFrames(info: LaneInfo): { object: LineSegments; update(samples: LaneView['samples']): void } {
  const edges = info.rods.reduce((sum, { edgeCount }) => sum + edgeCount, 0);
  const position = new Float32Array(12 * edges);
  const color = new Float32Array(12 * edges);
  for (let k = 0; k < edges; k++) {
    color.set([0.95, 0.62, 0.2, 0.95, 0.62, 0.2, 0.25, 0.62, 0.9, 0.25, 0.62, 0.9], 12 * k);
  }
  const geometry = new BufferGeometry();
  const attribute = new BufferAttribute(position, 3);
  attribute.setUsage(DynamicDrawUsage);
  geometry.setAttribute('position', attribute);
  geometry.setAttribute('color', new BufferAttribute(color, 3));
  const object = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
  object.frustumCulled = false;
  return {
    object,
    update(samples) {
      let o = 0;
      info.rods.forEach(({ edgeCount, nodeCount, edgeRadius, length }, r) => {
        const { nodePosition: x, edgeDirector: d } = samples[r];
        for (let j = 0; j < edgeCount; j++) {
          const a = 3 * j;
          const b = 3 * ((j + 1) % nodeCount);
          const size = Math.max(3.2 * edgeRadius[j], 0.012 * length);
          const tx = x[b] - x[a];
          const ty = x[b + 1] - x[a + 1];
          const tz = x[b + 2] - x[a + 2];
          const norm = Math.hypot(tx, ty, tz) || 1;
          const e = [
            (ty * d[a + 2] - tz * d[a + 1]) / norm,
            (tz * d[a] - tx * d[a + 2]) / norm,
            (tx * d[a + 1] - ty * d[a]) / norm,
          ];
          for (let k = 0; k < 3; k++) {
            const middle = 0.5 * (x[a + k] + x[b + k]);
            position[o + k] = middle;
            position[o + 3 + k] = middle + size * d[a + k];
            position[o + 6 + k] = middle;
            position[o + 9 + k] = middle + size * e[k];
          }
          o += 12;
        }
      });
      attribute.needsUpdate = true;
    },
  };
}
