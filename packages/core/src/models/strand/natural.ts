/**
 * The zero-gravity rest shape [Hadap2006 §6.6]: natural angles such that the initial shape, under the loads at t = 0, is an equilibrium. Inverse dynamics
 * gives the torque of every joint, and its law the deformation that balances it, which always exists. The equilibrium may be unstable: a soft strand that
 * stands up falls over whatever its natural shape. A warning reports that, with the stiffness that would be enough.
 */
import { SceneError } from '../../errors.ts';
import { multiplyQuaternions } from '../../math/quaternion.ts';
import { animates } from '../../scene/animate.ts';
import { writeDeformation } from './energy.ts';
import { factorSweep, setStraightChart } from './newton.ts';
import type { Sweep } from './records.ts';
import { evaluateResidual } from './residual.ts';
import type { StrandTree } from './rod.ts';
import { turn } from './spatial.ts';

const needed = new Float64Array(3);
const deformation = new Float64Array(4);
const product = new Float64Array(4);
const inverse = new Float64Array(4);

/** Sets the natural angles of the joints of rods with `natural: equilibrium`; the tree is in its initial state. */
function setNatural(tree: StrandTree): void {
  const velocity = tree.v.slice();
  tree.v.fill(0);
  evaluateResidual(tree, 0, undefined, 'new-time');
  tree.v.set(velocity);
  const { force, toJoint, stiffness, before, after, q, law } = tree;
  for (const { rod, firstLink } of tree.rods) {
    if (!rod.naturalFromEquilibrium) continue;
    for (let j = firstLink; j < firstLink + rod.edgeCount; j++) {
      if (j === 0 && (!tree.rootHeld || tree.swingOnly)) continue;
      turn(needed, 0, toJoint, 9 * j, force, 6 * j);
      writeDeformation(deformation, law, needed, stiffness.subarray(3 * j, 3 * j + 3));
      // Δ = before · q · after
      conjugate(inverse, after, 4 * j);
      multiplyQuaternions(product, 0, deformation, 0, inverse, 0);
      conjugate(inverse, q, 3 + 4 * j);
      multiplyQuaternions(before, 4 * j, product, 0, inverse, 0);
    }
  }
}

function conjugate(out: Float64Array, a: Float64Array, i: number): void {
  out[0] = a[i];
  for (let k = 1; k < 4; k++) out[k] = -a[i + k];
}

function isStable(tree: StrandTree, sweep: Sweep): boolean {
  const velocity = tree.v.slice();
  tree.v.fill(0);
  evaluateResidual(tree, 0, undefined, 'new-time');
  tree.v.set(velocity);
  sweep.columns = 6;
  sweep.coefficient = 0;
  setStraightChart(sweep, tree.linkCount);
  return factorSweep(tree, sweep, 0) && sweep.negative === 0;
}

export function findNatural(tree: StrandTree, sweep: Sweep, warnings: string[]): void {
  if (tree.rods.some(({ rod }) => animates(rod, 'curvature')))
    throw new SceneError(
      ['rods'],
      'natural: equilibrium finds the natural shape of a whole tree, and a rod of it animates its curvature; remove one of them',
    );
  tree.adopt?.(0);
  const own = tree.stiffness.slice();
  const holds = (factor: number): boolean => {
    for (let k = 0; k < own.length; k++) tree.stiffness[k] = factor * own[k];
    setNatural(tree);
    return isStable(tree, sweep);
  };
  if (holds(1)) return;
  const { id } = tree.rods[0].rod;
  let [low, high] = [1, 2];
  while (high < 1e9 && !holds(high)) {
    low = high;
    high *= 2;
  }
  for (let k = 0; k < 30 && high - low > 1e-3 * low; k++) {
    const middle = 0.5 * (low + high);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  holds(1);
  const remedy =
    high < 1e9 ? `${Number(high.toPrecision(3))} times its stiffness would hold it` : 'no stiffness would hold it';
  warnings.push(`the initial shape of rod '${id}' is an equilibrium, but an unstable one; ${remedy}`);
}
