/** Data for pictures: pins as marks, obstacles as solids, and the direction of gravity. */
import { nearestNode, type PinSpec, type RodCurve, type Scene, type Vec3 } from '@tendril-sim/core';
import { obstaclesOf, type RecordingFrame, type RecordingHeader, writeObstacle } from '@tendril-sim/io';
import type { PictureObstacle } from './plot/obstacles.ts';
import type { PicturePin } from './plot/picture.ts';

/** A recording has no tangents; a world does. */
type PinnedRod = RodCurve & { readonly id: string; readonly nodeTangent?: ArrayLike<number> };

/** Pins to draw: one mark per node, a clamp if position and direction are both held; none after its release. */
export function picturePins(scene: Scene, rods: readonly PinnedRod[], time: number): PicturePin[] {
  const held = new Map<string, Held>();
  for (const pin of scene.pins ?? []) {
    const rod = rods.findIndex(({ id }) => id === pin.rod);
    if (rod < 0 || (pin.release !== undefined && pin.release <= time)) continue;
    const node = nearestNode(rods[rod], pin.at);
    const key = `${rod}/${node}`;
    const mark: Held = held.get(key) ?? { rod, node, position: false, direction: false };
    const hold = pin.hold ?? 'clamp';
    mark.position ||= (hold === 'clamp' || hold === 'position') && (pin.axes === undefined || pin.axes.length === 3);
    if (hold !== 'position') {
      mark.direction = true;
      mark.tangent ??= heldTangent(pin, rods[rod], node);
    }
    held.set(key, mark);
  }
  return [...held.values()].map(({ rod, node, position, direction, tangent }) => ({
    rod,
    node,
    kind: position && direction ? 'clamp' : 'hinge',
    tangent,
  }));
}

interface Held {
  readonly rod: number;
  readonly node: number;
  position: boolean;
  direction: boolean;
  tangent?: Vec3;
}

/** Known if the pin does not turn; else the picture uses the rod's own direction. */
function heldTangent(pin: PinSpec, { nodeTangent: t }: PinnedRod, node: number): Vec3 | undefined {
  if (pin.path?.keys.some(({ rotation }) => rotation)) return undefined;
  return pin.tangent ?? (t && [t[3 * node], t[3 * node + 1], t[3 * node + 2]]);
}

/** Gravity at full strength, if there is any; a factor in time changes its magnitude, not its direction. */
export function gravityOf(scene: Scene): Vec3 | undefined {
  const { gravity } = scene;
  if (gravity === undefined) return undefined;
  const acceleration = 'acceleration' in gravity ? gravity.acceleration : gravity;
  return acceleration.some((component) => component !== 0) ? acceleration : undefined;
}

/** Obstacles at their places in a frame. */
export function pictureObstacles(
  header: RecordingHeader,
  frame: Pick<RecordingFrame, 'time' | 'bodies'>,
): PictureObstacle[] {
  return obstaclesOf(header).map((obstacle) => {
    const { triangle, endless, hollow, color } = obstacle;
    const position = new Float64Array(obstacle.position.length);
    writeObstacle(position, obstacle, frame);
    return { position, triangle, endless, hollow, ...(color && { color }) };
  });
}
