/**
 * Detects turns of twist that a step loses.
 *
 * Springs measure an angle between neighbouring edges only up to whole turns. If the twist between two edges exceeds half a turn, the truss inverts there,
 * and a turn and its torque are lost. The angles at the start and at the end of a step show it: that one jumps by a turn. Folded joints have no twist and
 * are skipped. Only between two clamps are turns conserved: a hair that whips about a free end may turn over.
 */
import { angleAbout3, dot3, transport3 } from '../../math/vec3.ts';
import type { Hair } from './rod.ts';

/** Cosine between edges beyond which they count as folded. */
const FOLDED = -0.5;

const carried = new Float64Array(3);
const clampDirector = new Float64Array(3);

/** True if the rod conserves turns. */
export const holdsTurns = ({ stubs, poses }: Hair): boolean =>
  stubs.length === 2 && stubs.every(({ pin }) => poses[pin].active);

/** Twist from edge to edge at inner nodes, and from clamp to edge at the ends [rad], 1 per node; NaN if there is none. */
export function measureTwist(out: Float64Array, hair: Hair): void {
  const { samples, rod, stubs, poses } = hair;
  const { edgeTangent: t, edgeDirector: d } = samples;
  out.fill(Number.NaN);
  for (let i = 1; i < rod.edgeCount; i++) {
    const [a, b] = [3 * (i - 1), 3 * i];
    if (dot3(t, a, t, b) < FOLDED) continue;
    transport3(carried, 0, d, a, t, a, t, b);
    out[i] = angleAbout3(carried, 0, d, b, t, b);
  }
  for (const { pin, node, side } of stubs) {
    const { active, tangent, director, twist } = poses[pin];
    const b = side < 0 ? 0 : 3 * (rod.edgeCount - 1);
    if (!active || dot3(tangent, 0, t, b) < FOLDED) continue;
    clampDirector.set(director);
    transport3(carried, 0, clampDirector, 0, tangent, 0, t, b);
    out[node] = wrap(angleAbout3(carried, 0, d, b, t, b) - twist);
  }
}

const wrap = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** The node at which a turn is lost between two such measurements; −1: none is. */
export function findSlip(before: Float64Array, after: Float64Array): number {
  return before.findIndex((angle, i) => Math.abs(after[i] - angle) > Math.PI);
}
