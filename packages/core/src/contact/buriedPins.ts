/**
 * Detects pins that an obstacle swallows in the course of a run, and remarks on them after a step.
 *
 * If an obstacle moves over a pin, or the pin into it, contact pushes out the nodes beside the pin, while the pin keeps its own inside. The forces of
 * such an edge follow from its length, not from the rod, and models disagree about them. Pins that start inside an obstacle are embedded roots: the
 * obstacle ignores the nodes that are inside with them (detect/embeddedRoots.ts), but not those that it reaches when it rises later.
 */
import type { Samples } from '../port.ts';
import { createPinPose, type Pin, type Rod } from '../scene/compiled.ts';
import { type Collider, measureDistance, placeCollider } from './shapes/collider.ts';

/** Number of steps from one check to the next if there are more than FEW pins and obstacles to compare; each of the first ones is checked. */
const INTERVAL = 16;
const FEW = 32;
/** Depths of the axis, beyond that at the start, that are not reported: what bends an edge by less than this angle [rad], or is less than this many radii. */
const LEAST_ANGLE = 0.1;
const LEAST_RADII = 1;

interface BuriedPinParts {
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly colliders: readonly Collider[];
  /** Pins of each rod. */
  readonly pins: readonly (readonly Pin[])[];
}

/** A pin that a collider may swallow. */
interface Exposed {
  readonly rod: number;
  readonly pin: Pin;
  /** Depth of the axis at the start, 0 outside [m]. */
  readonly start: number;
}

const found = new Float64Array(4);
const pose = createPinPose();

/** Radius and length of the shortest edge at a node. */
function edgesAt({ edgeCount, edgeRadius, edgeLengthRest, closed }: Rod, node: number): [number, number] {
  const before = node > 0 ? node - 1 : closed ? edgeCount - 1 : 0;
  const after = Math.min(node, edgeCount - 1);
  return [Math.max(edgeRadius[before], edgeRadius[after]), Math.min(edgeLengthRest[before], edgeLengthRest[after])];
}

/** Depth of the axis at the pin at time t [m], negative outside; the collider must have been placed. Samples may be older than t: those of a GPU are read seldom. */
function depthOf(collider: Collider, { nodePosition: x }: Samples, pin: Pin, t: number): number {
  pin.evaluate(pose, t);
  const { position } = pose;
  const o = 3 * pin.node;
  const at = [pin.holdX, pin.holdY, pin.holdZ].map((isHeld, k) => (isHeld ? position[k] : x[o + k]));
  measureDistance(found, collider, at[0], at[1], at[2]);
  return -found[0];
}

/** For each collider the pins that hold a position of rods on which it acts, with their depth at time t. */
function findExposed({ samples, colliders, pins }: BuriedPinParts, t: number): Exposed[][] {
  return colliders.map((collider) => {
    if (collider.shape.thin) return [];
    const held = pins.flatMap((own, rod) =>
      collider.acts[rod] ? own.filter((pin) => pin.holdX || pin.holdY || pin.holdZ).map((pin) => ({ rod, pin })) : [],
    );
    if (held.length > 0) placeCollider(collider, t, 0);
    return held.map((one) => ({ ...one, start: Math.max(0, depthOf(collider, samples[one.rod], one.pin, t)) }));
  });
}

/** Returns a function to call after each step: its remark, the first time that a pin is much deeper in an obstacle than at time t. */
export function createBuriedPinWatch(parts: BuriedPinParts, t: number): (t: number) => string[] {
  const { rods, samples, colliders } = parts;
  const exposed = findExposed(parts, t);
  if (exposed.every((list) => list.length === 0)) return () => [];
  const interval = exposed.reduce((sum, list) => sum + list.length, 0) > FEW ? INTERVAL : 1;
  let steps = 0;
  let isDone = false;
  return (now) => {
    if (isDone || (++steps > INTERVAL && steps % interval !== 0)) return [];
    let [deepest, message] = [0, ''];
    exposed.forEach((list, k) => {
      const collider = colliders[k];
      if (list.length > 0) placeCollider(collider, now, 0);
      for (const { rod, pin, start } of list) {
        if (!pin.holds(now)) continue;
        const depth = depthOf(collider, samples[rod], pin, now);
        const [radius, length] = edgesAt(rods[rod], pin.node);
        const gain = depth - start;
        if (!(gain > Math.max(deepest, LEAST_RADII * radius, LEAST_ANGLE * length))) continue;
        deepest = gain;
        message = `a pin holds rod '${rods[rod].id}' ${depth.toPrecision(2)} m deep in collider '${collider.id}' at t = ${Number(now.toPrecision(4))} s (${start.toPrecision(2)} m at the start), which pushes the rest of the rod out: shape and forces beside the pin depend on edges and model, and are not to be trusted; let pin and collider move together, or list the collider's 'rods' without it (later pins are not reported)`;
      }
    });
    if (message === '') return [];
    isDone = true;
    return [message];
  };
}
