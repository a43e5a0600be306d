/**
 * Compiles the loads on a rod: gravity, point forces, torques, forces per length.
 *
 * A point force inside an edge is split linearly on its two nodes: the power is exactly that of the force at that point. A
 * torque is split linearly between the middles of two edges; beyond the last middle it acts on the last edge.
 * Dead forces have a potential. Dead torques do not (their work depends on the path of a finite rotation), nor do followers.
 */
import type { Vector } from '../curve/vector.ts';
import { norm } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { rotateVector } from '../math/frameRotation.ts';
import { dot3 } from '../math/vec3.ts';
import type { LoadSource, Loads, Samples } from '../port.ts';
import type { Rod } from './compiled.ts';
import type { Layout } from './layout.ts';
import { findPlace, type Place } from './layout.ts';
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
  const factorAt = typeof factor === 'number' ? () => factor : factor;
  return {
    ...createDeadForce(rod.nodeMass, acceleration, factor),
    addAcceleration: (out, t) => {
      for (let k = 0; k < 3; k++) out[k] += factorAt(t) * acceleration[k];
    },
  };
}

/** A place between the middles of two edges, and the share of each. */
interface EdgePlace {
  readonly edges: readonly number[];
  readonly shares: readonly number[];
}

/** Shares of the edges beside a place, linear between their middles; beyond the last middle all is on the last edge. */
function findEdgePlace({ edge, fraction }: Place, { edgeCount, edgeLengthRest: l, closed }: Rod): EdgePlace {
  const side = fraction > 0.5 ? 1 : -1;
  const other = closed ? (edge + side + edgeCount) % edgeCount : edge + side;
  const share = other < 0 || other >= edgeCount ? 0 : (Math.abs(2 * fraction - 1) * l[edge]) / (l[edge] + l[other]);
  return share > 0 ? { edges: [edge, other], shares: [1 - share, share] } : { edges: [edge], shares: [1] };
}

/** An end of a rod: its last half edge, and whether s grows towards the end (1) or away from it (−1). */
interface RodEnd {
  readonly half: number;
  readonly sign: number;
}

function endAt(node: number, { closed, nodeCount, edgeCount }: Rod): RodEnd | undefined {
  if (closed || (node > 0 && node < nodeCount - 1) || node < 0) return undefined;
  return node === 0 ? { half: 0, sign: -1 } : { half: 2 * edgeCount - 1, sign: 1 };
}

/**
 * Writes a load in the axes of the last edge that is given in those of the end, half an edge further: the rod turns by its natural strain there, and by that
 * of the `torque` at the end. In the axes of the edge instead, loads that follow an end have an error of first order.
 */
function turnFromEnd(out: Float64Array, { half, sign }: RodEnd, rod: Rod, load: Vector, torque: Vector): void {
  const { halfStrainRest, halfEI1, halfEI2, halfGJ, edgeLengthRest } = rod;
  const reach = edgeLengthRest[half >> 1] / 2;
  const turn = [halfEI1[half], halfEI2[half], halfGJ[half]].map(
    (stiffness, k) => sign * halfStrainRest[3 * half + k] + (reach * torque[k]) / stiffness,
  );
  out.set(load);
  rotateVector(out, 0, turn);
}

/** Writes d1, d2, d3 of the material at a node or edge: the mean of the given edges, made orthonormal; 9 numbers. */
function writeMeanFrame(out: Float64Array, samples: Samples, first: number, second: number): void {
  const { edgeTangent: t, edgeDirector: d } = samples;
  for (let k = 0; k < 3; k++) {
    out[k] = d[3 * first + k] + d[3 * second + k];
    out[6 + k] = t[3 * first + k] + t[3 * second + k];
  }
  scaleToUnit(out, 6);
  const along = dot3(out, 0, out, 6);
  for (let k = 0; k < 3; k++) out[k] -= along * out[6 + k];
  scaleToUnit(out, 0);
  out[3] = out[7] * out[2] - out[8] * out[1];
  out[4] = out[8] * out[0] - out[6] * out[2];
  out[5] = out[6] * out[1] - out[7] * out[0];
}

function scaleToUnit(v: Float64Array, at: number): void {
  const size = 1 / Math.sqrt(dot3(v, at, v, at));
  for (let k = 0; k < 3; k++) v[at + k] *= size;
}

/** Adds a multiple of a vector that is given in the axes of a frame. */
function addTurned(out: Float64Array, at: number, frame: Float64Array, local: ArrayLike<number>, scale: number): void {
  for (let axis = 0; axis < 3; axis++)
    out[at + axis] += scale * (local[0] * frame[axis] + local[1] * frame[3 + axis] + local[2] * frame[6 + axis]);
}

/** A part of a force that follows the rod: the node on which it acts, and the edges whose mean frame it has there. */
interface FollowerPart {
  readonly node: number;
  readonly edges: readonly [number, number];
  /** Components in that frame [N]. */
  readonly force: ArrayLike<number>;
}

/** A force inside an edge is split on its nodes, each part in the frame of its node: then its direction is that of the rod between them. */
function createFollowerForce(parts: readonly FollowerPart[], factor: (t: number) => number): LoadSource {
  const frame = new Float64Array(9);
  return {
    dependsOnState: true,
    addLoads({ nodeForce }, samples, t) {
      const k = factor(t);
      for (const { node, edges, force } of parts) {
        writeMeanFrame(frame, samples, edges[0], edges[1]);
        addTurned(nodeForce, 3 * node, frame, force, k);
      }
    },
    potential: () => 0,
  };
}

function followerPart(node: number, share: number, force: Vector, rod: Rod): FollowerPart {
  const scaled: Vector = [share * force[0], share * force[1], share * force[2]];
  const end = endAt(node, rod);
  if (!end) return { node, edges: [(node + rod.edgeCount - 1) % rod.edgeCount, node], force: scaled };
  const turned = new Float64Array(3);
  turnFromEnd(turned, end, rod, scaled, [0, 0, 0]);
  return { node, edges: [end.half >> 1, end.half >> 1], force: turned };
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

/** A torque in world axes. */
function createTorque({ edges, shares }: EdgePlace, torque: Vector, factor: (t: number) => number): LoadSource {
  return {
    // a torque across an edge acts as a couple of forces, which turns with the edge even when the torque does not
    dependsOnState: true,
    addLoads({ edgeTorque }: Loads, _samples: Samples, t: number) {
      for (let m = 0; m < edges.length; m++) {
        const k = factor(t) * shares[m];
        for (let axis = 0; axis < 3; axis++) edgeTorque[3 * edges[m] + axis] += k * torque[axis];
      }
    },
    potential: () => 0,
  };
}

/** A torque in material components; `end`: the end of the rod on which it acts. */
function createFollowerTorque(
  { edges, shares }: EdgePlace,
  torque: Vector,
  factor: (t: number) => number,
  rod: Rod,
  end: RodEnd | undefined,
): LoadSource {
  const frame = new Float64Array(9);
  const local = new Float64Array(3);
  return {
    dependsOnState: true,
    addLoads({ edgeTorque }: Loads, samples: Samples, t: number) {
      const k = factor(t);
      const now: Vector = [k * torque[0], k * torque[1], k * torque[2]];
      local.set(now);
      if (end) turnFromEnd(local, end, rod, now, now);
      for (let m = 0; m < edges.length; m++) {
        writeMeanFrame(frame, samples, edges[m], edges[m]);
        addTurned(edgeTorque, 3 * edges[m], frame, local, shares[m]);
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
  if (spec.type === 'torque') {
    const between = findEdgePlace(place, rod);
    if (follows) return createFollowerTorque(between, spec.torque, factor, rod, endAt(place.node, rod));
    return createTorque(between, spec.torque, factor);
  }
  const next = (place.edge + 1) % rod.nodeCount;
  const share: [number, number][] =
    place.node >= 0
      ? [[place.node, 1]]
      : [
          [place.edge, 1 - place.fraction],
          [next, place.fraction],
        ];
  if (follows) {
    const parts = share.map(([node, weight]) => followerPart(node, weight, spec.force, rod));
    return createFollowerForce(parts, factor);
  }
  const weights = new Float64Array(rod.nodeCount);
  for (const [node, weight] of share) weights[node] += weight;
  return createDeadForce(weights, spec.force, factor);
}

/** Acceleration of gravity [m/s²], at its full size. */
export function gravityOf({ gravity }: Scene): readonly number[] {
  if (gravity === undefined) return [0, 0, 0];
  return 'acceleration' in gravity ? gravity.acceleration : gravity;
}
