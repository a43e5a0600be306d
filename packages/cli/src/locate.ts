/** Places on a rod: where a probe measures, where a pin is drawn. */
import type { Location, PinSpec, Rod, Scene, Vec3 } from '@tendril/core';
import type { PicturePin } from './plot/picture.ts';

type Curve = Pick<Rod, 'nodeCount' | 'edgeCount' | 'length'> & { readonly nodeArc: ArrayLike<number> };

/** A recording knows no tangents; a world does. */
type PinnedRod = Curve & { readonly id: string; readonly nodeTangent?: ArrayLike<number> };

export interface RodPlace {
  /** The edge and how far along it, 0…1; the node at its start. */
  readonly edge: number;
  readonly along: number;
}

export function placeOn(rod: Curve, at: Location): RodPlace {
  if (at === 'start') return { edge: 0, along: 0 };
  if (at === 'end')
    return rod.edgeCount === rod.nodeCount ? { edge: 0, along: 0 } : { edge: rod.edgeCount - 1, along: 1 };
  if ('node' in at) {
    return at.node < rod.edgeCount ? { edge: at.node, along: 0 } : { edge: rod.edgeCount - 1, along: 1 };
  }
  const arc = 'u' in at ? at.u * rod.length : at.s;
  let edge = 0;
  while (edge + 1 < rod.edgeCount && rod.nodeArc[edge + 1] <= arc) edge++;
  const from = rod.nodeArc[edge];
  const to = edge + 1 < rod.nodeCount ? rod.nodeArc[edge + 1] : rod.length;
  return { edge, along: Math.min(1, Math.max(0, (arc - from) / (to - from))) };
}

export function nearestNode(rod: Curve, at: Location): number {
  const { edge, along } = placeOn(rod, at);
  return along < 0.5 ? edge : (edge + 1) % rod.nodeCount;
}

/** Pins to draw: one mark a node, a clamp where position and direction are both held; none where it has let go. */
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

/** Known where the pin does not turn; else the picture takes the rod's own direction. */
function heldTangent(pin: PinSpec, { nodeTangent: t }: PinnedRod, node: number): Vec3 | undefined {
  if (pin.path?.keys.some(({ rotation }) => rotation)) return undefined;
  return pin.tangent ?? (t && [t[3 * node], t[3 * node + 1], t[3 * node + 2]]);
}

/** Gravity at full strength, if there is any; a factor in time changes how strong it is, not which way is up. */
export function gravityOf(scene: Scene): Vec3 | undefined {
  const { gravity } = scene;
  if (gravity === undefined) return undefined;
  const acceleration = 'acceleration' in gravity ? gravity.acceleration : gravity;
  return acceleration.some((component) => component !== 0) ? acceleration : undefined;
}
