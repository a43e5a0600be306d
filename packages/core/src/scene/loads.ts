/**
 * Loads on a rod, ready for the step: gravity, point forces, torques, forces per length.
 *
 * A point force inside an edge is split linearly on its two nodes: the power is exactly that of the force at that point. A
 * torque acts on edges: on the one it lies on, at an inner node half on each neighbour.
 * Dead forces have a potential. Dead torques do not (their work depends on the path of a finite rotation), nor do followers.
 */
import type { Vector } from '../curve/vector.ts';
import { norm } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import type { LoadSource, Loads, Samples } from '../port.ts';
import type { Rod } from './compiled.ts';
import type { Layout } from './layout.ts';
import { edgesAtNode, findPlace } from './layout.ts';
import type { RodLoadSpec, Scene } from './types.ts';
import type { Path } from './varying.ts';
import { compileTimed } from './varying.ts';

/** A dead force f·weight on each node, weights as given (length, mass, share); a number as factor is constant. */
export function createDeadForce(
  weights: Float64Array,
  force: Vector,
  varying: number | ((t: number) => number),
): LoadSource {
  const [fx, fy, fz] = force;
  const factor = typeof varying === 'number' ? (): number => varying : varying;
  return {
    dependsOnState: false,
    isConstant: typeof varying === 'number',
    addLoads({ nodeForce }, _samples, t) {
      const k = factor(t);
      for (let i = 0; i < weights.length; i++) {
        const w = k * weights[i];
        nodeForce[3 * i] += w * fx;
        nodeForce[3 * i + 1] += w * fy;
        nodeForce[3 * i + 2] += w * fz;
      }
    },
    potential({ nodePosition }, t) {
      let sum = 0;
      for (let i = 0; i < weights.length; i++) {
        sum += weights[i] * (fx * nodePosition[3 * i] + fy * nodePosition[3 * i + 1] + fz * nodePosition[3 * i + 2]);
      }
      return -factor(t) * sum;
    },
  };
}

export function compileGravity(scene: Scene, rod: Rod): LoadSource | undefined {
  const { gravity } = scene;
  if (!gravity) return undefined;
  const acceleration = 'acceleration' in gravity ? gravity.acceleration : gravity;
  if (norm(acceleration) === 0) return undefined;
  const given = 'acceleration' in gravity ? (gravity.factor ?? 1) : 1;
  const factor = typeof given === 'number' ? given : compileTimed(given, ['gravity', 'factor']);
  return createDeadForce(rod.nodeMass, acceleration, factor);
}

/** Writes d1, d2, d3 of the material at a node or edge: the mean of the given edges, made orthonormal; 9 numbers. */
export function writeMeanFrame(out: Float64Array, samples: Samples, first: number, second: number): void {
  const { edgeTangent: t, edgeDirector: d } = samples;
  const a = 3 * first;
  const b = 3 * second;
  let tx = t[a] + t[b];
  let ty = t[a + 1] + t[b + 1];
  let tz = t[a + 2] + t[b + 2];
  const size = 1 / Math.sqrt(tx * tx + ty * ty + tz * tz);
  tx *= size;
  ty *= size;
  tz *= size;
  let x = d[a] + d[b];
  let y = d[a + 1] + d[b + 1];
  let z = d[a + 2] + d[b + 2];
  const along = x * tx + y * ty + z * tz;
  x -= along * tx;
  y -= along * ty;
  z -= along * tz;
  const width = 1 / Math.sqrt(x * x + y * y + z * z);
  x *= width;
  y *= width;
  z *= width;
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = ty * z - tz * y;
  out[4] = tz * x - tx * z;
  out[5] = tx * y - ty * x;
  out[6] = tx;
  out[7] = ty;
  out[8] = tz;
}

/** A force in material components on up to two nodes, whose frame is the mean of up to two edges. */
function createFollowerForce(
  share: readonly (readonly [node: number, weight: number])[],
  edges: readonly number[],
  force: Vector,
  factor: (t: number) => number,
): LoadSource {
  const frame = new Float64Array(9);
  const first = edges[0];
  const second = edges[edges.length - 1];
  return {
    dependsOnState: true,
    addLoads({ nodeForce }, samples, t) {
      writeMeanFrame(frame, samples, first, second);
      const k = factor(t);
      for (let axis = 0; axis < 3; axis++) {
        const f = k * (force[0] * frame[axis] + force[1] * frame[3 + axis] + force[2] * frame[6 + axis]);
        for (let m = 0; m < share.length; m++) nodeForce[3 * share[m][0] + axis] += share[m][1] * f;
      }
    },
    potential: () => 0,
  };
}

/** A force per length in material components, with a weight [m] for each half edge. */
function createFollowerLine(
  halfWeight: Float64Array,
  nodeCount: number,
  force: Vector,
  factor: (t: number) => number,
): LoadSource {
  const frame = new Float64Array(9);
  return {
    dependsOnState: true,
    addLoads({ nodeForce }, samples, t) {
      const k = factor(t);
      for (let j = 0; 2 * j < halfWeight.length; j++) {
        if (halfWeight[2 * j] + halfWeight[2 * j + 1] === 0) continue;
        writeMeanFrame(frame, samples, j, j);
        const a = 3 * j;
        const b = 3 * ((j + 1) % nodeCount);
        for (let axis = 0; axis < 3; axis++) {
          const f = k * (force[0] * frame[axis] + force[1] * frame[3 + axis] + force[2] * frame[6 + axis]);
          nodeForce[a + axis] += halfWeight[2 * j] * f;
          nodeForce[b + axis] += halfWeight[2 * j + 1] * f;
        }
      }
    },
    potential: () => 0,
  };
}

function createTorque(
  edges: readonly number[],
  torque: Vector,
  follows: boolean,
  factor: (t: number) => number,
): LoadSource {
  const frame = new Float64Array(9);
  return {
    // a torque across an edge acts as a couple of forces, which turns with the edge even when the torque does not
    dependsOnState: true,
    addLoads({ edgeTorque }: Loads, samples: Samples, t: number) {
      const k = factor(t) / edges.length;
      for (let m = 0; m < edges.length; m++) {
        const at = 3 * edges[m];
        if (follows) writeMeanFrame(frame, samples, edges[m], edges[m]);
        for (let axis = 0; axis < 3; axis++) {
          const component = follows
            ? torque[0] * frame[axis] + torque[1] * frame[3 + axis] + torque[2] * frame[6 + axis]
            : torque[axis];
          edgeTorque[at + axis] += k * component;
        }
      }
    },
    potential: () => 0,
  };
}

/** Rest length [m] of each half edge that lies in [from, to]. */
function overlapHalves(layout: Layout, rod: Rod, from: number, to: number): Float64Array {
  const { nodeU, edgeCount } = layout;
  const out = new Float64Array(2 * edgeCount);
  for (let half = 0; half < 2 * edgeCount; half++) {
    const j = half >> 1;
    const size = (nodeU[j + 1] - nodeU[j]) / 2;
    const begin = nodeU[j] + (half % 2) * size;
    const covered = Math.max(0, Math.min(to, begin + size) - Math.max(from, begin));
    out[half] = (rod.edgeLengthRest[j] / 2) * (covered / size);
  }
  return out;
}

/** Sums a quantity of half edges at their nodes. */
export function gatherHalves(halves: Float64Array, nodeCount: number): Float64Array {
  const out = new Float64Array(nodeCount);
  halves.forEach((value, half) => {
    out[((half >> 1) + (half % 2)) % nodeCount] += value;
  });
  return out;
}

export function compileLoad(spec: RodLoadSpec, rod: Rod, layout: Layout, path: Path): LoadSource {
  const factor = compileTimed(spec.factor, [...path, 'factor']);
  const follows = spec.frame === 'material';
  if (spec.type === 'distributed') {
    const { from = 0, to = 1 } = spec;
    if (!(from >= 0 && to <= 1 && from < to)) {
      throw new SceneError(
        [...path, from >= 0 && from < 1 ? 'to' : 'from'],
        `the load runs from u = ${from} to ${to}; u must rise within 0 to 1`,
      );
    }
    const halves = overlapHalves(layout, rod, from, to);
    if (follows) return createFollowerLine(halves, rod.nodeCount, spec.force, factor);
    return createDeadForce(gatherHalves(halves, rod.nodeCount), spec.force, factor);
  }
  const place = findPlace(spec.at, layout, [...path, 'at']);
  const edges = place.node >= 0 ? edgesAtNode(place.node, layout) : [place.edge];
  if (spec.type === 'torque') return createTorque(edges, spec.torque, follows, factor);
  const next = (place.edge + 1) % rod.nodeCount;
  const share: [number, number][] =
    place.node >= 0
      ? [[place.node, 1]]
      : [
          [place.edge, 1 - place.fraction],
          [next, place.fraction],
        ];
  if (follows) return createFollowerForce(share, edges, spec.force, factor);
  const weights = new Float64Array(rod.nodeCount);
  for (const [node, weight] of share) weights[node] += weight;
  return createDeadForce(weights, spec.force, factor);
}

/** Acceleration of gravity [m/s²], at its full size. */
export function gravityOf({ gravity }: Scene): readonly number[] {
  if (gravity === undefined) return [0, 0, 0];
  return 'acceleration' in gravity ? gravity.acceleration : gravity;
}
