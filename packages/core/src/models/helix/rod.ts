/**
 * One rod: helical elements, the nodes that lie on them, stiffness, mass.
 *
 * Unknowns are the curvatures and the twist rate (κ1, κ2, τ) about d1, d2, d3 of every element, three each; the pin gives the root frame. Elements end
 * at nodes and share the edges as evenly as whole numbers allow, so a stiffness or a load that jumps at a node never jumps inside an element.
 *
 * Mass and weight act at the nodes, with the node masses that every model has. The section's polar inertia acts there too, as that of the directors d1
 * and d2 with half of it each; without it the mass matrix of a straight rod would be singular in twist.
 * Why nodes and not Gauss points: docs/notes/helix.md#mass-at-the-nodes.
 */
import type { Drive } from '../../model.ts';
import { createLoads, createSamples, type LoadSource, type Loads, type Samples } from '../../port.ts';
import { followAnimation } from '../../scene/animate.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../../scene/compiled.ts';
import { SERIES } from './gamma.ts';
import { createHold, type Hold } from './hold.ts';

/** The geometry of a chain of helical elements, and its last pose. All that reconstruction and the sweep need. */
export interface HelixChain {
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly elementCount: number;
  /** Some element has nodes inside. */
  readonly hasInterior: boolean;
  /** Frames at nodes have inertia. */
  readonly hasFrames: boolean;
  /** First node of each element, and the last node of the rod. */
  readonly elementNode: Int32Array;
  /** [m] */
  readonly elementLength: Float64Array;
  /** Distance of a node from the start of the element that it ends or lies in [m]. */
  readonly nodeOffset: Float64Array;
  /** Element of an edge, and the distance of the edge's middle from its start [m]. */
  readonly edgeElement: Int32Array;
  readonly edgeOffset: Float64Array;

  // the pose that the last `poseRod` made
  /** Curvatures of the pose. */
  readonly pose: Float64Array;
  /** Frames at element ends, row by row, columns d1 d2 d3; 9 each, one more than elements. The first is the root's. */
  readonly frame: Float64Array;
  /** [m], 3 per element end. The first is the root's. */
  readonly position: Float64Array;
  readonly series: Float64Array;
  readonly nodePosition: Float64Array;
  readonly nodeFrame: Float64Array;
  readonly nodeSeries: Float64Array;
  readonly edgeFrame: Float64Array;
  readonly edgeSeries: Float64Array;
  /** Turn and move of an element's far end by its curvatures, 9 per element, world axes. */
  readonly jacobianAngular: Float64Array;
  readonly jacobianLinear: Float64Array;
}

/** `elementNode`: first node of each element and the last node of all; `edgeLength`: between nodes [m]. */
export function createChain(
  elementNode: Int32Array,
  edgeLength: Float64Array,
  { hasFrames }: { readonly hasFrames: boolean },
): HelixChain {
  const elementCount = elementNode.length - 1;
  const edgeCount = edgeLength.length;
  const nodeCount = edgeCount + 1;
  const edgeElement = new Int32Array(edgeCount);
  for (let e = 0; e < elementCount; e++) edgeElement.fill(e, elementNode[e], elementNode[e + 1]);
  const chain: HelixChain = {
    nodeCount,
    edgeCount,
    elementCount,
    hasInterior: elementCount < edgeCount,
    hasFrames,
    elementNode,
    elementLength: new Float64Array(elementCount),
    nodeOffset: new Float64Array(nodeCount),
    edgeElement,
    edgeOffset: new Float64Array(edgeCount),
    pose: new Float64Array(3 * elementCount),
    frame: new Float64Array(9 * (elementCount + 1)),
    position: new Float64Array(3 * (elementCount + 1)),
    series: new Float64Array(SERIES * elementCount),
    nodePosition: new Float64Array(3 * nodeCount),
    nodeFrame: new Float64Array(9 * nodeCount),
    nodeSeries: new Float64Array(SERIES * nodeCount),
    edgeFrame: new Float64Array(9 * edgeCount),
    edgeSeries: new Float64Array(SERIES * edgeCount),
    jacobianAngular: new Float64Array(9 * elementCount),
    jacobianLinear: new Float64Array(9 * elementCount),
  };
  setEdgeLengths(chain, edgeLength);
  return chain;
}

/** Gives the edges of a chain other lengths [m]. */
export function setEdgeLengths(chain: HelixChain, edgeLength: ArrayLike<number>): void {
  const { elementCount, elementNode, elementLength, nodeOffset, edgeOffset } = chain;
  for (let e = 0; e < elementCount; e++) {
    let u = 0;
    for (let j = elementNode[e]; j < elementNode[e + 1]; j++) {
      edgeOffset[j] = u + edgeLength[j] / 2;
      u += edgeLength[j];
      nodeOffset[j + 1] = u;
    }
    elementLength[e] = u;
  }
}

/** Ends of `elementCount` elements on `edgeCount` edges, as even as whole numbers allow. */
export function divideEdges(edgeCount: number, elementCount: number): Int32Array {
  return Int32Array.from({ length: elementCount + 1 }, (_, e) => Math.round((e * edgeCount) / elementCount));
}

/** A chain with stiffness and mass, whose energy a stage minimises. */
export interface HelixBody extends HelixChain {
  /** Rest length [m]. */
  readonly length: number;
  /** Length × stiffness (EI1, EI2, GJ) [N m³], 3 per element: the elastic Hessian. */
  readonly stiffness: Float64Array;
  /** Natural (κ1, κ2, τ) [1/m], 3 per element. */
  readonly kappaRest: Float64Array;
  /** Stiffness damping [s], 1 per element. */
  readonly elementDamping: Float64Array;
  /** [kg], [1/s], [kg m²] */
  readonly nodeMass: Float64Array;
  readonly nodeDamping: Float64Array;
  readonly nodeInertia: Float64Array;
  /** Loads can be added and removed while the world runs. */
  readonly sources: readonly LoadSource[];
  /** (κ1, κ2, τ) [1/m], 3 per element. */
  readonly q: Float64Array;
  readonly samples: Samples;
  readonly loads: Loads;
  loadFactor: number;
  /** Forces [N] on nodes and torques [N m] on edges that contact adds to the loads. */
  contact?: { readonly nodeForce: Float64Array; readonly edgeTorque: Float64Array };
  /** The pin at the end, if there is one. */
  readonly hold?: Hold;
}

/** A rod of a scene: a body with a root that a pin moves, and the rest of its state. */
export interface HelixRod extends HelixBody {
  /** Makes stiffness, damping and inertia those of time t; absent if they never change. */
  readonly adopt?: (t: number) => void;
  /** Sets the natural shape to that of time t, from `kappaStart`, the one of the scene. */
  readonly bend?: ((t: number) => void) | undefined;
  readonly kappaStart: Float64Array;
  readonly rod: Rod;
  readonly drive: Drive;
  /** Pins at the root: of the position and of the frame; often the same. */
  readonly place: Pin;
  readonly clamp: Pin;
  /** When the root was placed [s]. */
  rootTime: number;
  readonly pinPose: PinPose;
  /** Rates of q [1/(m s)]. */
  readonly v: Float64Array;
  /** Velocities and accelerations of nodes, 3 each; first and second rates of their d1 and d2, 6 each. */
  readonly nodeVelocity: Float64Array;
  readonly directorRate: Float64Array;
  readonly nodeAcceleration: Float64Array;
  readonly directorAcceleration: Float64Array;
  /** Velocity [m/s] and spin [rad/s] of the root, world axes. */
  readonly rootRate: Float64Array;
  /** State one step before, for a scheme of two steps; otherwise empty. Last entry: the size of that step, 0 for none [s]. */
  readonly history: Float64Array;
  /** All of these but q and v in one. */
  readonly memory: Float64Array;
}

/** The pin at the end of a rod. */
const findEndPin = (rod: Rod, { pins }: Drive): Pin | undefined => pins.find(({ node }) => node === rod.nodeCount - 1);

/** Numbers in `memory` for one rod; a scheme of two steps also keeps the state before (see step.ts), a pin at the end its force and torque. */
export function memorySize(rod: Rod, drive: Drive, elementCount: number, twoStep: boolean): number {
  const held = findEndPin(rod, drive) ? 6 : 0;
  return 18 * rod.nodeCount + 6 + held + (twoStep ? 18 * rod.nodeCount + 3 * elementCount + 1 : 0);
}

/** Length × stiffness of stretches in series (mean compliance, as a moment sees it), and mean damping. */
export function measureStiffness(rod: Rod, elementNode: Int32Array): Pick<HelixBody, 'stiffness' | 'elementDamping'> {
  const elementCount = elementNode.length - 1;
  const out = { stiffness: new Float64Array(3 * elementCount), elementDamping: new Float64Array(elementCount) };
  writeStiffness(out, rod, elementNode);
  return out;
}

const compliance = [0, 0, 0];

function writeStiffness(
  { stiffness, elementDamping }: Pick<HelixBody, 'stiffness' | 'elementDamping'>,
  { edgeLengthRest, halfEI1, halfEI2, halfGJ, halfDamping }: Rod,
  elementNode: Int32Array,
): void {
  elementDamping.fill(0);
  for (let e = 0; e < elementDamping.length; e++) {
    compliance.fill(0);
    let whole = 0;
    for (let half = 2 * elementNode[e]; half < 2 * elementNode[e + 1]; half++) {
      const length = edgeLengthRest[half >> 1] / 2;
      whole += length;
      compliance[0] += length / halfEI1[half];
      compliance[1] += length / halfEI2[half];
      compliance[2] += length / halfGJ[half];
      elementDamping[e] += length * halfDamping[half];
    }
    elementDamping[e] /= whole;
    for (let k = 0; k < 3; k++) stiffness[3 * e + k] = (whole * whole) / compliance[k];
  }
}

/** Half of the polar inertia of the edges on either side [kg m²]. */
export function gatherInertia(rod: Rod): Float64Array {
  const out = new Float64Array(rod.nodeCount);
  writeInertia(out, rod);
  return out;
}

function writeInertia(out: Float64Array, { edgeInertia, edgeCount, nodeCount }: Rod): void {
  for (let i = 0; i < nodeCount; i++)
    out[i] = ((i > 0 ? edgeInertia[i - 1] : 0) + (i < edgeCount ? edgeInertia[i] : 0)) / 2;
}

/** True if some load depends on the rod's state. */
export function loadsDependOnState({ sources }: Pick<HelixBody, 'sources'>): boolean {
  for (const source of sources) if (source.dependsOnState) return true;
  return false;
}

/** Views into the bundle's state. */
export interface StateViews {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
}

/** The natural shape at time t: that of the scene times the factor in the middle of each element. */
function createBend(
  { animation, nodeArc, length }: Rod,
  elementNode: Int32Array,
  { kappaRest, kappaStart }: Pick<HelixRod, 'kappaRest' | 'kappaStart'>,
): ((t: number) => void) | undefined {
  if (!animation?.fields.includes('curvature')) return undefined;
  return (t) => {
    for (let e = 0; e + 1 < elementNode.length; e++) {
      const u = (0.5 * (nodeArc[elementNode[e]] + nodeArc[elementNode[e + 1]])) / length;
      const factor = animation.factor('curvature', t, u);
      for (let d = 3 * e; d < 3 * e + 3; d++) kappaRest[d] = factor * kappaStart[d];
    }
  };
}

export function createHelixRod(rod: Rod, drive: Drive, elementCount: number, views: StateViews): HelixRod {
  const { q, v, memory } = views;
  const { nodeCount } = rod;
  const place = drive.pins.find((pin) => pin.node === 0 && pin.holdX && pin.holdY && pin.holdZ);
  const clamp = drive.pins.find((pin) => pin.node === 0 && pin.orientation === 'frame');
  if (!place || !clamp) throw new Error('the root is not clamped');
  const part = (from: number, length: number): Float64Array => memory.subarray(from, from + length);
  const elementNode = divideEdges(rod.edgeCount, elementCount);
  const nodeInertia = gatherInertia(rod);
  const endPin = findEndPin(rod, drive);
  const hold = endPin && createHold(endPin, createPinPose(), elementCount, part(18 * nodeCount + 6, 6));
  // a clamp at the end turns with the last frame, as inertia does
  const hasFrames = hold?.rows === 6 || nodeInertia.some((inertia) => inertia > 0);
  const elastic = measureStiffness(rod, elementNode);
  const natural = { kappaRest: new Float64Array(3 * elementCount), kappaStart: new Float64Array(3 * elementCount) };
  return {
    ...createChain(elementNode, rod.edgeLengthRest, { hasFrames }),
    ...elastic,
    ...natural,
    ...(rod.animation && {
      adopt: followAnimation([rod], () => {
        writeStiffness(elastic, rod, elementNode);
        writeInertia(nodeInertia, rod);
      }),
      bend: createBend(rod, elementNode, natural),
    }),
    rod,
    drive,
    place,
    clamp,
    rootTime: 0,
    pinPose: createPinPose(),
    length: rod.length,
    nodeMass: rod.nodeMass,
    nodeDamping: rod.nodeDamping,
    nodeInertia,
    sources: drive.sources,
    q,
    v,
    nodeVelocity: part(0, 3 * nodeCount),
    directorRate: part(3 * nodeCount, 6 * nodeCount),
    nodeAcceleration: part(9 * nodeCount, 3 * nodeCount),
    directorAcceleration: part(12 * nodeCount, 6 * nodeCount),
    rootRate: part(18 * nodeCount, 6),
    history: memory.subarray(18 * nodeCount + (hold ? 12 : 6)),
    memory,
    samples: createSamples(rod),
    loads: createLoads(rod),
    loadFactor: 1,
    ...(hold && { hold }),
  };
}
