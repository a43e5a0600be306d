/**
 * Reaches the next equilibrium of a rod along its branch, by arc length, where the search from the last equilibrium fails, or leads to another branch: a localized buckle of a long twisted
 * rod may slide and turn at next to no cost, so that Newton's method wanders there, while the branch follower holds these motions (statics/branch.ts).
 */
import type { EquilibriumReport } from '../model.ts';
import type { PathWorld, Retry } from './pathPort.ts';

/** Longest distance between points, shortest, and the largest number of points: between two instants the branch is short. */
const STRIDE = 0.25;
const SHORTEST = 1e-4;
const POINTS = 60;

/**
 * The equilibrium at time t of the only rod, which is in equilibrium at `from`. Undefined if the branch does not lead there before its first fold; the state is then
 * arbitrary.
 */
export function reachAlong(
  { placeOfRod, rods, contact, scene, clock }: PathWorld,
  from: number,
  t: number,
  tolerance: number,
): EquilibriumReport | undefined {
  if (contact || scene.bodies?.length || placeOfRod.length !== 1 || from === t) return undefined;
  // these laws have a memory, and so no branches
  if (rods[0].law?.type === 'elastoplastic' || rods[0].law?.type === 'dahl') return undefined;
  const [{ bundle, index }] = placeOfRod;
  const options = {
    from,
    to: t,
    tolerance,
    stride: STRIDE,
    shortest: SHORTEST,
    points: POINTS,
    start: 'along',
  } as const;
  const branch = bundle.branch?.(index, from, options);
  let iterations = 0;
  while (branch) {
    const { done, value } = branch.next();
    if (done || value.kind === 'fold') return undefined;
    iterations += value.iterations;
    if (value.kind !== 'end') continue;
    if (value.parameter !== t) return undefined;
    clock.time = t;
    const { negativeModes, criterion } = value;
    const verdict = { negativeModes, criterion, stable: negativeModes === 0, saddlesLeft: 0 };
    const { id } = rods[0];
    const remark = `rod '${id}': the search for the equilibrium failed or led to another branch, and it was reached along the branch of the last one. Where that branch ends, later equilibria may lie on another one, with fewer turns: compare their energies, or use follow: branch`;
    // every point of the branch was solved to the tolerance; its own residual is not kept
    return { rod: id, converged: true, iterations, residual: 0, tolerance: 0, remark, ...verdict };
  }
  return undefined;
}

/**
 * The equilibrium on the branch of the last one, if the search for it has failed; with `stability: seek`, and if it is unstable, a stable one from there.
 */
export function prepareRetry(world: PathWorld): Retry | undefined {
  if (world.placeOfRod.length !== 1) return undefined;
  const [{ bundle, index }] = world.placeOfRod;
  const before = world.save();
  return (t, wanted, [report]) => {
    if (report.converged) return undefined;
    const failed = world.save();
    world.restore(before);
    const found = reachAlong(world, before.time, t, wanted.tolerance);
    if (!found) {
      world.restore(failed);
      return undefined;
    }
    const iterations = found.iterations + report.iterations;
    if (found.stable || wanted.stability === 'report') return [{ ...found, iterations }];
    const unstable = world.save();
    const left = bundle.equilibrate(index, t, wanted);
    if (left.converged && left.stable) return [{ ...left, iterations: iterations + left.iterations }];
    world.restore(unstable);
    return [{ ...found, iterations: iterations + left.iterations }];
  };
}
