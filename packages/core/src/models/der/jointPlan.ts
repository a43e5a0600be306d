/**
 * The joints of a rod: one at each inner node, and while a node's frame is held, one on either side of it. Rods with the same number of nodes and the
 * same pins share one plan.
 */
import type { Pin, Rod } from '../../scene/compiled.ts';

export interface JointPlan {
  readonly count: number;
  readonly node: Int32Array;
  /** Edge before and after the node, or −1 − h for held frame h. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** 0: always active; 1: while pin `pin` holds; 2: after its release. */
  readonly mode: Uint8Array;
  readonly pin: Int32Array;
  /** 1 if the held frame may spin. */
  readonly freeSpin: Uint8Array;
  /** Pin of each held frame, and 1 if it is a hinge. */
  readonly heldPin: Int32Array;
  readonly hinged: Uint8Array;
  /** Half joints before and after each, −1 if there is none, 2 per frame. */
  readonly heldJoints: Int32Array;
}

export function planJoints({ nodeCount, edgeCount, closed }: Rod, pins: readonly Pin[]): JointPlan {
  const list: { node: number; before: number; after: number; mode: number; pin: number; freeSpin: number }[] = [];
  const heldPin: number[] = [];
  for (let node = 0; node < nodeCount; node++) {
    const left = node > 0 ? node - 1 : closed ? edgeCount - 1 : -1;
    const right = node < edgeCount ? node : -1;
    const pin = pins.findIndex((one) => one.node === node && one.orientation !== 'free');
    if (pin >= 0) {
      const held = -heldPin.push(pin);
      const half = { node, mode: 1, pin, freeSpin: pins[pin].orientation === 'tangent' ? 1 : 0 };
      if (left >= 0) list.push({ ...half, before: left, after: held });
      if (right >= 0) list.push({ ...half, before: held, after: right });
    }
    if (left >= 0 && right >= 0)
      list.push({ node, before: left, after: right, mode: pin >= 0 ? 2 : 0, pin, freeSpin: 0 });
  }
  const before = Int32Array.from(list, (joint) => joint.before);
  const after = Int32Array.from(list, (joint) => joint.after);
  return {
    count: list.length,
    node: Int32Array.from(list, (joint) => joint.node),
    before,
    after,
    mode: Uint8Array.from(list, (joint) => joint.mode),
    pin: Int32Array.from(list, (joint) => joint.pin),
    freeSpin: Uint8Array.from(list, (joint) => joint.freeSpin),
    heldPin: Int32Array.from(heldPin),
    hinged: Uint8Array.from(heldPin, (p) => (pins[p].orientation === 'hinge' ? 1 : 0)),
    heldJoints: Int32Array.from({ length: 2 * heldPin.length }, (_, k) =>
      (k & 1 ? before : after).indexOf(-1 - (k >> 1)),
    ),
  };
}

/** Plans of equal rods are created once. */
export function createJointPlanner(): (rod: Rod, pins: readonly Pin[]) => JointPlan {
  const plans = new Map<string, JointPlan>();
  return (rod, pins) => {
    let key = `${rod.nodeCount} ${rod.edgeCount}`;
    for (const { node, orientation } of pins) key += ` ${node} ${orientation}`;
    const plan = plans.get(key) ?? planJoints(rod, pins);
    plans.set(key, plan);
    return plan;
  };
}
