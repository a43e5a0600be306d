/** Branches of equilibria, as cases follow them. */
import type { BranchPoint, World } from '@tendril-sim/core';

/** What to do at the points of a branch. */
export interface Walk {
  /** Where to begin: at `statics.from`, or at the bifurcation in whose state the world is, to one side or the other. */
  readonly start?: 'along' | 'across' | 'back';
  /** Called at every point, while the world is in its state; `'stop'` ends the walk. */
  look?(point: BranchPoint): 'stop' | undefined;
}

/** Follows a branch to its end. Throws if it is lost on the way. */
export function walkBranch(world: World, { start = 'along', look }: Walk): BranchPoint[] {
  const branch = world.branch(start);
  const points: BranchPoint[] = [];
  for (;;) {
    const next = branch.next();
    if (next.done) {
      const { reason, detail } = next.value;
      if (reason === 'lost') throw new Error(`the branch was lost at ${points.at(-1)?.parameter}: ${detail}`);
      return points;
    }
    points.push(next.value);
    if (look?.(next.value) === 'stop') return points;
  }
}

/** Goes to the first bifurcation of a branch, where the world then is. */
export function goToBifurcation(world: World, start: Walk['start'] = 'along'): BranchPoint {
  const points = walkBranch(world, { start, look: ({ kind }) => (kind === 'bifurcation' ? 'stop' : undefined) });
  const last = points[points.length - 1];
  if (last.kind !== 'bifurcation') throw new Error('the branch has no bifurcation');
  return last;
}
