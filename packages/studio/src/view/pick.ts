/** Which rod, and where on it, lies under the cursor. */
import { type Camera, Vector3 } from 'three';
import type { LaneView } from './lane.ts';

export interface Pick {
  readonly lane: number;
  readonly rod: number;
  readonly node: number;
  /** The node [m]. */
  readonly point: Vector3;
  readonly radius: number;
  /** Distance from the cursor [pixels]. */
  readonly distance: number;
}

/** How near the cursor must be [pixels]. */
const reach = 16;

const a = new Vector3();
const b = new Vector3();

export function pickRod(
  view: LaneView,
  lane: number,
  camera: Camera,
  { x, y }: { readonly x: number; readonly y: number },
  rect: { readonly width: number; readonly height: number },
  /** True: of all rods near enough, the one in front instead of the nearest. */
  { front }: { readonly front?: boolean } = {},
): Pick | undefined {
  let best: { rod: number; node: number; distance: number; depth: number } | undefined;
  const place = (out: Vector3, positions: Float32Array, o: number): void => {
    out.set(positions[o], positions[o + 1], positions[o + 2]).project(camera);
    out.set((0.5 + 0.5 * out.x) * rect.width, (0.5 - 0.5 * out.y) * rect.height, out.z);
  };
  view.samples.forEach(({ nodePosition }, rod) => {
    const { edgeCount, nodeCount } = view.info.rods[rod];
    place(a, nodePosition, 0);
    for (let j = 0; j < edgeCount; j++) {
      const next = (j + 1) % nodeCount;
      place(b, nodePosition, 3 * next);
      const dx = b.x - a.x;
      const dy = b.y - a.y;
      const length2 = dx * dx + dy * dy || 1;
      const u = Math.min(1, Math.max(0, ((x - a.x) * dx + (y - a.y) * dy) / length2));
      const distance = Math.hypot(x - a.x - u * dx, y - a.y - u * dy);
      const depth = a.z + u * (b.z - a.z);
      const better = front
        ? distance < reach && depth < (best?.depth ?? Infinity)
        : distance < (best?.distance ?? reach);
      if (better) best = { rod, node: u < 0.5 ? j : next, distance, depth };
      a.copy(b);
    }
  });
  if (!best) return undefined;
  const { rod, node, distance } = best;
  const positions = view.samples[rod].nodePosition;
  const { edgeRadius, edgeCount } = view.info.rods[rod];
  return {
    lane,
    rod,
    node,
    distance,
    radius: edgeRadius[Math.min(node, edgeCount - 1)],
    point: new Vector3(positions[3 * node], positions[3 * node + 1], positions[3 * node + 2]),
  };
}
