/**
 * Hands: loads that come and go while a world runs, such as a mouse that pulls at a node or winds up an end.
 *
 * The Newton matrix of a time step does not contain the stiffness of loads (see LoadSource). So with a spring that is stiffer than the
 * rod and pins that hold its node, the iteration of an implicit model would diverge. The damper is in the matrix, as drag. With
 * damping ≥ stiffness × step it outweighs the spring there, and the iteration converges.
 */
import { square } from '../math/rounded/index.ts';
import type { LoadSource } from '../port.ts';

/** Spring that pulls a node to a point. */
export interface PointSpring extends LoadSource {
  /** Target position of the node [m]; may be written between steps. */
  readonly target: Float64Array;
  /** [N/m] */
  stiffness: number;
  /** [N s/m] */
  damping: number;
}

/**
 * Pulls one node towards a point: F = −stiffness·(x − target) − damping·v. Add it to a rod by `world.addLoad(rod, spring)`, and move
 * it by writing `target`.
 *
 * @param node index of the node, from 0 at the start of the rod
 * @param stiffness [N/m], 0 or more
 * @param damping [N s/m], 0 or more; at least stiffness × time step, or steps may not converge
 * @throws RangeError if one of them is not as above
 */
export function createPointSpring(node: number, stiffness: number, damping: number): PointSpring {
  checkIndex('createPointSpring', 'node', node);
  checkAmount('stiffness', stiffness);
  checkAmount('damping', damping);
  const target = new Float64Array(3);
  const o = 3 * node;
  return {
    target,
    node,
    stiffness,
    damping,
    dependsOnState: true,
    addLoads({ nodeForce, nodeDrag }, { nodePosition: x, nodeVelocity: v }) {
      for (let k = 0; k < 3; k++) nodeForce[o + k] -= this.stiffness * (x[o + k] - target[k]) + this.damping * v[o + k];
      nodeDrag[6 * node] += this.damping;
      nodeDrag[6 * node + 3] += this.damping;
      nodeDrag[6 * node + 5] += this.damping;
    },
    potential({ nodePosition: x }) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum += square(x[o + k] - target[k]);
      return 0.5 * this.stiffness * sum;
    },
  };
}

/** Load that turns one edge about its tangent. */
export interface EdgeTorque extends LoadSource {
  /** About the tangent [N m]; may be written between steps. */
  torque: number;
}

/**
 * Turns one edge about its own tangent; it follows the rod, so it has no potential. Its `torque` is 0 until it is written.
 *
 * @param edge index of the edge, from 0 at the start of the rod
 */
export function createEdgeTorque(edge: number): EdgeTorque {
  checkIndex('createEdgeTorque', 'edge', edge);
  const o = 3 * edge;
  return {
    torque: 0,
    edge,
    dependsOnState: true,
    addLoads({ edgeTorque }, { edgeTangent }) {
      for (let k = 0; k < 3; k++) edgeTorque[o + k] += this.torque * edgeTangent[o + k];
    },
    potential: () => 0,
  };
}

function checkIndex(caller: string, what: string, index: number): void {
  if (!Number.isInteger(index) || index < 0)
    throw new RangeError(`${caller}: ${what} must be a whole number from 0, got ${index}`);
}

function checkAmount(what: string, value: number): void {
  if (!Number.isFinite(value) || value < 0)
    throw new RangeError(`createPointSpring: ${what} must be a number of 0 or more, got ${value}`);
}
