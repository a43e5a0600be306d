/**
 * Detects corners between edges that hold a rod like friction, and remarks on them after a step.
 *
 * A contact normal is perpendicular to the edges, not to the curve. A rod that slides along itself or along another rod climbs over the corners of its
 * polygon. They resist like a friction coefficient of half the angle between two edges, also if the scene has no friction:
 * docs/notes/contact-solver.md#stiction-of-polygons.
 */
import { acos } from '../math/rounded/index.ts';
import { dot3 } from '../math/vec3.ts';
import { isBroken, type Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';
import type { ContactWorld } from './contactWorld.ts';

/** Less friction than this is not reported. */
const NOTICEABLE = 0.05;
/** Number of steps from one check of the contacts to the next. */
const INTERVAL = 16;

/** Mean angle between an edge and its neighbours [rad]. */
function angleAt({ edgeCount, closed }: Rod, samples: Samples, edge: number): number {
  const { edgeTangent: t } = samples;
  let sum = 0;
  for (const step of [-1, 1]) {
    const beside = edge + step;
    if (!closed && (beside < 0 || beside >= edgeCount)) continue;
    const other = (beside + edgeCount) % edgeCount;
    if (isBroken(samples, edge) || isBroken(samples, other)) continue;
    const cosine = dot3(t, 3 * edge, t, 3 * other);
    sum += 0.5 * acos(Math.min(1, Math.max(-1, cosine)));
  }
  return sum;
}

interface CornerWatchParts {
  readonly scene: Scene;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly contact: Pick<ContactWorld, 'forces'> | undefined;
}

/** Friction between rods as the scene states it. */
function frictionOf({ contact }: Scene): number {
  const friction = contact?.friction ?? 0;
  return typeof friction === 'number' ? friction : friction.static;
}

/** Returns a function to call after each step: its remark, the first time that corners of edges hold a rod more than friction does. */
export function createCornerWatch({ scene, rods, samples, contact }: CornerWatchParts): (t: number) => string[] {
  const isWatched =
    contact !== undefined && scene.contact !== undefined && (scene.contact.between ?? 'pairs') === 'pairs';
  if (!isWatched) return () => [];
  const indexOf = new Map(rods.map(({ id }, r) => [id, r]));
  const friction = frictionOf(scene);
  const most = Math.max(NOTICEABLE, friction);
  let steps = 0;
  let isDone = false;
  return (t) => {
    if (isDone || steps++ % INTERVAL !== 0) return [];
    let [sharpest, name, edge] = [most, '', 0];
    const look = (rod: string, at: number): void => {
      const r = indexOf.get(rod) ?? 0;
      const held = 0.5 * angleAt(rods[r], samples[r], at);
      if (held > sharpest) [sharpest, name, edge] = [held, rod, at];
    };
    for (const force of contact.forces(t)) {
      if (force.kind !== 'rod') continue;
      look(force.rod, force.edge);
      if (force.otherEdge !== undefined) look(force.other, force.otherEdge);
    }
    if (name === '') return [];
    isDone = true;
    return [
      `rod '${name}' bends by ${(2 * sharpest).toPrecision(2)} rad per edge where it touches a rod, at edge ${edge}, t = ${Number(t.toPrecision(4))} s: corners of edges resist sliding there like friction of up to ${sharpest.toPrecision(2)} (the scene has ${friction}), so the size of a knot or braid depends on how it was tied; use more edges (later contacts are not reported)`,
    ];
  };
}
