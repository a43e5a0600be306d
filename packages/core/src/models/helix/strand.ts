/**
 * Strands without a scene: curls, reconstruction, equilibria under gravity and their inverse, for tools that handle many
 * strands at once. A strand is described by its root and the curvatures of its elements; its section does not vary.
 */

import { addScaled, cross, dot, normalize, scale, type Vector, vectorOf } from '../../curve/vector.ts';
import { hypot, hypotOf } from '../../math/rounded/index.ts';
import { createWorkspace, type Workspace } from './energy.ts';
import type { Helices } from './fit.ts';
import { findNatural, type InverseReport } from './inverse.ts';
import { poseRod, writeAllJacobians } from './kinematics.ts';
import { solveStage } from './newton.ts';
import { createChain, divideEdges, type HelixBody, type HelixChain, setEdgeLengths } from './rod.ts';
import { factorTangent, turnLimit } from './statics.ts';

/** A strand's stiffness [N m²] and mass [kg/m]. */
export interface StrandSection {
  /** Bending stiffness about d1 [N m²]. */
  readonly EI1: number;
  /** Bending stiffness about d2 [N m²]. */
  readonly EI2: number;
  /** Twisting stiffness [N m²]. */
  readonly GJ: number;
  /** Mass per length [kg/m]. */
  readonly mass: number;
}

/** A strand of equal elements, all with the same curvatures (κ1, κ2, τ) [1/m]: straight, an arc, a curl. */
export function createHelices(
  root: Pick<Helices, 'rootPosition' | 'rootTangent' | 'rootDirector'>,
  curvature: readonly [number, number, number],
  length: number,
  elements: number,
): Helices {
  return {
    ...root,
    curvature: Float64Array.from({ length: 3 * elements }, (_, d) => curvature[d % 3]),
    elementLength: new Float64Array(elements).fill(length / elements),
  };
}

/**
 * Root frame of a curl whose axis points along `axis`: the tangent at the root then leans from it by the angle of the
 * curl's rise. `side`: direction from the axis of the curl to the root; the result is as close to it as possible. (With the axis as the
 * tangent, the curl would lean away from it by 72° for a radius of 10 mm and a pitch of 20 mm.)
 */
export function alignCurl(
  curvature: readonly [number, number, number],
  axis: Vector,
  side: Vector,
): { rootTangent: Vector; rootDirector: Vector } {
  const up = normalize(axis);
  const [u1, u2, u3] = curvature;
  const size = hypot(u1, u2, u3);
  // the frame turned so that its axis of turning is `up` and its principal normal points away from `side`
  const along = dot(side, up);
  const out = addScaled(side, up, -along);
  const bend = hypot(u1, u2);
  if (!(hypotOf(out) > 1e-12)) throw new RangeError('the side is parallel to the axis; give a direction across it');
  if (!(bend > 0)) return { rootTangent: up, rootDirector: normalize(out) };
  const normal = normalize(scale(out, -1));
  const binormal = cross(up, normal);
  // Ω = τ t + κ b lies along the axis, against it for a left-handed curl; b = t × n
  const hand = u3 < 0 ? -1 : 1;
  const tangent = vectorOf((k) => (Math.abs(u3) * up[k] - hand * bend * binormal[k]) / size);
  const frenet = cross(tangent, normal);
  // in material components b = (u1, u2, 0)/κ and n = b × t = (u2, −u1, 0)/κ: d1 = (u1 b + u2 n)/κ
  const director = vectorOf((k) => (u1 * frenet[k] + u2 * normal[k]) / bend);
  return { rootTangent: tangent, rootDirector: director };
}

/** The chain of the last strand, for strands of the same layout that come one after the other. */
let posed: HelixChain | undefined;

function chainOf(elements: number, perElement: number): HelixChain {
  const edges = elements * perElement;
  if (posed?.elementCount !== elements || posed.edgeCount !== edges)
    posed = createChain(divideEdges(edges, elements), new Float64Array(edges), { hasFrames: false });
  return posed;
}

/** Frames and positions at `perElement` places of each element, the root first. */
export function reconstructHelices(
  strand: Helices,
  perElement = 1,
): { position: Float64Array; tangent: Float64Array; director: Float64Array } {
  const elements = strand.elementLength.length;
  const chain = chainOf(elements, perElement);
  const lengths = new Float64Array(elements * perElement);
  for (let j = 0; j < lengths.length; j++) lengths[j] = strand.elementLength[Math.floor(j / perElement)] / perElement;
  setEdgeLengths(chain, lengths);
  placeStrand(chain, strand);
  poseRod(chain, strand.curvature);
  return {
    position: chain.nodePosition.slice(),
    tangent: columnOf(chain.nodeFrame, 2),
    director: columnOf(chain.nodeFrame, 0),
  };
}

/** Column `c` of 3×3 matrices in a row. */
function columnOf(frames: Float64Array, c: number): Float64Array {
  const out = new Float64Array(frames.length / 3);
  for (let k = 0; k < out.length; k++) out[k] = frames[3 * k + c];
  return out;
}

function placeStrand(chain: Pick<HelixBody, 'frame' | 'position'>, strand: Helices): void {
  const t = normalize(strand.rootTangent);
  const along = dot(strand.rootDirector, t);
  const d1 = normalize(addScaled(strand.rootDirector, t, -along));
  const d2 = cross(t, d1);
  for (let k = 0; k < 3; k++) {
    chain.position[k] = strand.rootPosition[k];
    chain.frame[3 * k] = d1[k];
    chain.frame[3 * k + 1] = d2[k];
    chain.frame[3 * k + 2] = t[k];
  }
}

/** Solves strands one after the other with the same number and lengths of elements, without new allocations. */
export interface StrandSolver {
  /**
   * Where `natural` hangs: overwrites `curvature` (which it starts from) with the equilibrium. `perElement` nodes carry
   * the weight of each element.
   */
  settle(curvature: Float64Array, natural: Helices): { converged: boolean; stable: boolean; iterations: number };
  /**
   * Where `natural` hangs if springs pull its nodes to `places` [m], 3 numbers per node: overwrites `curvature`, which it starts from, and `places` with the
   * nodes. `pull` [1/s²] times the mass of a node is the stiffness of its spring. Returns false if no equilibrium was found; then both stay.
   * `steps`: takes so many steps of Newton's method towards the equilibrium instead, and returns true.
   */
  approach(curvature: Float64Array, natural: Helices, places: Float64Array, pull: number, tolerance?: number): boolean;
  /** Writes the natural curvature for which `shape` hangs as it is. */
  findNatural(natural: Float64Array, shape: Helices): InverseReport;
}

/** Creates a solver that settles strands of equal layout one after the other, without allocating. */
export function createStrandSolver(
  elementLength: Float64Array,
  section: StrandSection,
  gravity: Vector,
  perElement = 1,
): StrandSolver {
  const { body, work } = createStrandBody(elementLength, section, gravity, perElement);
  return {
    settle(curvature, natural) {
      placeStrand(body, natural);
      body.kappaRest.set(natural.curvature);
      body.q.set(curvature);
      work.kappaBefore.set(body.q);
      const { converged, iterations } = solveStage(
        body,
        work,
        { t: 0, inertia: 0, rate: 0 },
        { tolerance: 1e-9, iterations: 100, rotation: turnLimit(body) },
      );
      curvature.set(body.q);
      writeAllJacobians(body);
      return { converged, iterations, stable: factorTangent(body, work, 0, 1e-8, 'stop-at-negative') };
    },
    approach(curvature, natural, places, pull, steps) {
      placeStrand(body, natural);
      body.kappaRest.set(natural.curvature);
      body.q.set(curvature);
      work.kappaBefore.set(body.q);
      work.target.set(places);
      const limits = { iterations: steps ?? 60, checksLast: steps === undefined };
      const options = { tolerance: 1e-6, rotation: turnLimit(body), ...limits };
      const { converged } = solveStage(body, work, { t: 0, inertia: pull, rate: 0 }, options);
      if ((!converged && steps === undefined) || !body.q.every(Number.isFinite)) return false;
      curvature.set(body.q);
      places.set(body.nodePosition);
      return true;
    },
    findNatural(natural, shape) {
      placeStrand(body, shape);
      body.q.set(shape.curvature);
      const report = findNatural(body, work, 0);
      natural.set(body.kappaRest);
      return report;
    },
  };
}

function createStrandBody(
  elementLength: Float64Array,
  section: StrandSection,
  gravity: Vector,
  perElement: number,
): { body: HelixBody; work: Workspace } {
  const elements = elementLength.length;
  const edgeLength = Float64Array.from(
    { length: elements * perElement },
    (_, j) => elementLength[Math.floor(j / perElement)] / perElement,
  );
  const chain = createChain(divideEdges(edgeLength.length, elements), edgeLength, { hasFrames: false });
  const { nodeCount, edgeCount } = chain;
  const stiffness = [section.EI1, section.EI2, section.GJ];
  const nodeMass = Float64Array.from(
    { length: nodeCount },
    (_, i) => (section.mass * ((i > 0 ? edgeLength[i - 1] : 0) + (i < edgeCount ? edgeLength[i] : 0))) / 2,
  );
  const none = new Float64Array(0);
  const body: HelixBody = {
    ...chain,
    length: elementLength.reduce((sum, value) => sum + value, 0),
    stiffness: Float64Array.from({ length: 3 * elements }, (_, d) => stiffness[d % 3] * elementLength[(d / 3) | 0]),
    kappaRest: new Float64Array(3 * elements),
    elementDamping: new Float64Array(elements),
    nodeMass,
    nodeDamping: new Float64Array(nodeCount),
    nodeInertia: new Float64Array(nodeCount),
    sources: [
      {
        dependsOnState: false,
        potential: () => 0,
        addLoads({ nodeForce }) {
          for (let k = 0; k < nodeForce.length; k++) nodeForce[k] += nodeMass[(k / 3) | 0] * gravity[k % 3];
        },
      },
    ],
    q: new Float64Array(3 * elements),
    samples: { nodePosition: none, nodeVelocity: none, edgeTangent: none, edgeDirector: none, edgeSpin: none },
    loads: {
      nodeForce: new Float64Array(3 * nodeCount),
      edgeTorque: new Float64Array(3 * edgeCount),
      nodeDrag: new Float64Array(6 * nodeCount),
    },
    loadFactor: 1,
  };
  return { body, work: createWorkspace(body) };
}
