/** Finds bends that are too sharp for the edges of a rod: for the message of a step that fails, and as a remark after a step. */
import { acos, hypot } from '../math/rounded/index.ts';
import { dot3 } from '../math/vec3.ts';
import { isBroken, type Samples } from '../port.ts';
import { createPinPose, type Pin, type Rod } from '../scene/compiled.ts';

/** Cosine of the angle between edges from which a rod counts as folded: 60°. */
const FOLDED = 0.5;

/** Node between the two edges that differ most in direction, and the angle there [degrees]; undefined if the rod is not folded. */
export function findFold(
  { edgeCount, nodeCount, closed }: Rod,
  samples: Samples,
): { readonly node: number; readonly degrees: number } | undefined {
  const { edgeTangent: t } = samples;
  let node = -1;
  let least = FOLDED;
  for (let j = closed ? 0 : 1; j < edgeCount; j++) {
    const cosine = dot3(t, 3 * ((j + edgeCount - 1) % edgeCount), t, 3 * j);
    // a broken edge has no direction
    if (
      cosine >= least ||
      (cosine === 0 && (isBroken(samples, j) || isBroken(samples, (j + edgeCount - 1) % edgeCount)))
    )
      continue;
    least = cosine;
    node = j % nodeCount;
  }
  return node < 0 ? undefined : { node, degrees: (acos(Math.max(-1, least)) * 180) / Math.PI };
}

/**
 * Angle between neighbouring edges, beyond the natural one, from which a shape is not that of the rod [rad]. The error of a bend θ per edge is about
 * θ²/24 of it where models agree on the law, which they do not near half a turn.
 */
const SHARP = Math.PI / 2;

/** Natural angle between the edges on both sides of a node [rad]. */
function naturalAngle({ halfStrainRest: k, edgeCount }: Rod, edge: number): number {
  const before = 6 * ((edge + edgeCount - 1) % edgeCount) + 3;
  const after = 6 * edge;
  return hypot(k[before] + k[after], k[before + 1] + k[after + 1]);
}

interface Fold {
  readonly node: number;
  readonly degrees: number;
}

const toFold = (node: number, angle: number): Fold => ({ node, degrees: (angle * 180) / Math.PI });

/** First node at which two edges of a rod meet too sharply. */
function findSharp(rod: Rod, { edgeTangent: t }: Samples): Fold | undefined {
  const { edgeCount, nodeCount, closed } = rod;
  // every step calls this for every rod
  for (let j = closed ? 0 : 1, before = closed ? 3 * edgeCount - 3 : 0; j < edgeCount; before = 3 * j, j++) {
    const after = 3 * j;
    const cosine = t[before] * t[after] + t[before + 1] * t[after + 1] + t[before + 2] * t[after + 2];
    // most nodes end here
    if (cosine >= 0) continue;
    const angle = acos(Math.max(-1, cosine));
    if (angle > SHARP + naturalAngle(rod, j)) return toFold(j % nodeCount, angle);
  }
  return undefined;
}

const pose = createPinPose();

/** First clamp from which an edge leaves too sharply. */
function findSharpClamp(rod: Rod, { edgeTangent }: Samples, pins: readonly Pin[], t: number): Fold | undefined {
  for (let p = 0; p < pins.length; p++) {
    const { node, orientation } = pins[p];
    if (orientation === 'free' || orientation === 'hinge') continue;
    pins[p].evaluate(pose, t);
    if (!pose.active) continue;
    for (let edge = Math.max(0, node - 1); edge <= node && edge < rod.edgeCount; edge++) {
      const cosine = dot3(pose.tangent, 0, edgeTangent, 3 * edge);
      if (cosine < 0) return toFold(node, acos(Math.max(-1, cosine)));
    }
  }
  return undefined;
}

/** With more nodes, clamps are not checked: evaluating them would take a noticeable part of the step. */
const MANY_NODES = 2000;

/** Says where a rod bends too sharply for its edges; `when`: text after the place. Undefined if it does not. */
export function describeFold(
  rod: Rod,
  samples: Samples,
  pins: readonly Pin[],
  t: number,
  when: () => string,
): string | undefined {
  const between = findSharp(rod, samples);
  const fold = between ?? findSharpClamp(rod, samples, pins, t);
  if (!fold) return undefined;
  const where = between ? 'between two edges' : 'between a clamp and the edge beside it';
  return `rod '${rod.id}' is folded by ${fold.degrees.toFixed(0)}° ${where}, at node ${fold.node}${when()}: its edges are too long for such a bend, and the shape depends on their number; use more edges`;
}

/** A remark after the first step in which a rod bends too sharply for its edges. `pins`: those of each rod. */
export function createFoldWatch(
  rods: readonly Rod[],
  samples: readonly Samples[],
  pins: readonly (readonly Pin[])[],
): (t: number) => string[] {
  const hasFew = rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0) <= MANY_NODES;
  let isDone = false;
  let time = 0;
  const when = (): string => `, from t = ${Number(time.toPrecision(4))} s on`;
  return (t) => {
    time = t;
    for (let r = 0; r < rods.length && !isDone; r++) {
      const remark = describeFold(rods[r], samples[r], hasFew ? pins[r] : [], t, when);
      if (remark === undefined) continue;
      isDone = true;
      return [`${remark} (later folds are not reported)`];
    }
    return [];
  };
}
