/**
 * One hair of particles and springs, after [Selle2008]: chain, springs, stiffness.
 *
 * The chain is main particles (the rod's nodes) with a ghost in every segment, pushed off the axis by δ, alternately along d1 and d2. Springs join
 * every particle to the next three: one apart (`edge`), two apart (main to main and ghost to ghost: stretch), three apart (`torsion`). All six edges
 * of each tetrahedron of four consecutive particles are springs. truss.ts computes δ and the stiffness of the springs.
 *
 * A clamp is three consecutive fixed particles: the node, and a ghost and a main particle behind it that are not part of the rod.
 * NOTE: [Selle2008] gives ghosts to straight hair only; here curls have them too. Reasons: docs/notes/massspring.md#clamps-and-ghosts.
 */

import { multiplyQuaternions, quaternionFromRotation } from '../../math/quaternion.ts';
import { atan2, cos, hypot, pow, sin } from '../../math/rounded/index.ts';
import type { Drive, OutsideForces } from '../../model.ts';
import { createLoads, createSamples, type Loads, type Samples } from '../../port.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../../scene/compiled.ts';
import { buildTetrahedra, segmentOf, spreadMass } from './particles.ts';
import { bendingOf, naturalTurn, type Truss } from './truss.ts';

export interface Springs {
  readonly count: number;
  /** First and second particle. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  /** [N/m] */
  readonly stiffness: Float64Array;
  /** Damping time [s]. */
  readonly damping: Float64Array;
  /** [m] */
  readonly rest: Float64Array;
  /** Particles apart: 1, 2 or 3. */
  readonly apart: Uint8Array;
  /** Acts while this pin holds; −1: always. */
  readonly pin: Int32Array;
}

/** Four consecutive particles from `first` on, with the altitude spring against its collapse. */
export interface Tetrahedra {
  readonly count: number;
  readonly first: Int32Array;
  readonly stiffness: Float64Array;
  readonly damping: Float64Array;
  /** Signed rest altitudes of the seven kinds [m]. */
  readonly rest: Float64Array;
  readonly pin: Int32Array;
}

/** A clamped end: its pin and the particles behind its node. */
export interface Stub {
  readonly pin: number;
  readonly node: number;
  readonly ghost: number;
  readonly main: number;
  /** Behind the start −1, behind the end 1. */
  readonly side: number;
  readonly length: number;
  readonly offset: number;
  /** 1: the ghost lies along the first of the ghosts' axes, 2: along the second. */
  readonly axis: number;
}

export interface HairOptions {
  readonly theta: number;
  readonly damping: number;
  readonly altitude: number;
  /** Stiffness of the springs two apart, relative to edge springs; undefined: from EA. */
  readonly stretch: number | undefined;
  readonly strainLimit: number;
  /** Solves of the conserving step at most; 0: the published step. */
  readonly iterations: number;
}

export interface Hair {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly pins: readonly Pin[];
  readonly poses: readonly PinPose[];
  readonly options: HairOptions;
  readonly particleCount: number;
  /** Unknowns: 3 per particle. */
  readonly size: number;
  /** Particle of node 0; node i is particle `start` + stride·i. */
  readonly start: number;
  readonly stride: number;
  readonly springs: Springs;
  readonly tetrahedra: Tetrahedra;
  readonly stubs: readonly Stub[];
  /** Distance of the ghosts from the axis [m], 1 per edge. */
  readonly ghostOffset: Float64Array;
  /** Angle from d1 to the first of the ghosts' axes [rad], 1 per edge; see `ghostAnglesOf`. */
  readonly ghostAngle: Float64Array;

  /** Positions and velocities; views into the bundle's state. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  /** Last sign of each tetrahedron's volume. */
  readonly orientation: Float64Array;
  /** Rates of v over the last step. */
  readonly acceleration: Float64Array;
  /** The last step: its length [s] (0: none), then where it began [m]. */
  readonly lastStep: Float64Array;

  readonly mass: Float64Array;
  readonly massDamping: Float64Array;
  /** EI/l³ of the neighbourhood: weighs shifts and tolerances. */
  readonly stiffnessScale: Float64Array;
  readonly fixed: Uint8Array;
  /** Which of the seven altitudes each tetrahedron had last; kept as they are while `frozen`, by statics and modes. */
  readonly altitudeKind: Int8Array;
  frozen: boolean;
  /** Time at which the poses of the pins were evaluated [s]. */
  poseTime: number;
  /** Forces of the springs [N] in the equilibrium that the state is in: positions resolve them to k·ε·|x| only. */
  restTension: Float64Array | undefined;
  /** Forces of links on the rod at rest, for reactions of its pins; set by statics alone (atRest.ts). */
  linkForces: OutsideForces | undefined;
  readonly samples: Samples;
  readonly loads: Loads;
  loadFactor: number;
}

export function clampsOf(rod: Rod, pins: readonly Pin[]): { start: number; end: number } {
  const at = (node: number): number => pins.findIndex((pin) => pin.node === node && pin.orientation === 'frame');
  return { start: at(0), end: at(rod.nodeCount - 1) };
}

export function particlesOf(rod: Rod, pins: readonly Pin[]): number {
  const { start, end } = clampsOf(rod, pins);
  return 2 * rod.edgeCount + 1 + (start >= 0 ? 2 : 0) + (end >= 0 ? 2 : 0);
}

export function memorySize(rod: Rod, pins: readonly Pin[]): number {
  const particles = particlesOf(rod, pins);
  return Math.max(0, particles - 3) + 6 * particles + 1;
}

/** Frame as quaternion; columns d1, d2, d3. */
export function axisOf(q: Float64Array, o: number, axis: number): [number, number, number] {
  const [w, x, y, z] = [q[o], q[o + 1], q[o + 2], q[o + 3]];
  if (axis === 1) return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)];
  if (axis === 2) return [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)];
  return [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
}

/** Bends that are equal to this part, and half turns, occur in symmetric curves: there rounding must not choose. */
const TIE = 1e-9;

/**
 * Angles from d1 to the first of the ghosts' axes [rad], 1 per edge. Ghosts carry as much of the rod's tension as nodes do, so
 * the truss works about a line beside the nodes, off by half of the mean ghost: towards the middle of the two axes. In a
 * curl that changes the radius that it works at. So the middle of the two axes is turned to the binormal of the natural shape,
 * where the shift is along the axis of the curl. Sections are round, so any angle will do; it changes by little from
 * edge to edge, because the truss needs neighbouring ghosts a right angle apart. On a straight rod it stays what it was.
 */
function ghostAnglesOf(rod: Rod): Float64Array {
  const out = new Float64Array(rod.edgeCount);
  const turnOf = (j: number, axis: number): number => naturalTurn(rod, j, axis);
  let [most, sharpest] = [0, 0];
  for (let j = 0; j < rod.edgeCount; j++) {
    const turn = hypot(turnOf(j, 0), turnOf(j, 1));
    if (turn > (1 + TIE) * most) [most, sharpest] = [turn, j];
  }
  if (!(most > 1e-6)) return out;
  // from the sharpest bend, where the angle matters most, towards both ends
  const wanted = (j: number): number => atan2(turnOf(j, 1), turnOf(j, 0)) - Math.PI / 4;
  const follow = (j: number, from: number): number => {
    if (hypot(turnOf(j, 0), turnOf(j, 1)) < 1e-2 * most) return from;
    const apart = wanted(j) - from;
    const change = apart - 2 * Math.PI * Math.round(apart / (2 * Math.PI) - TIE);
    return from + Math.min(0.15, Math.max(-0.15, change));
  };
  out[sharpest] = wanted(sharpest);
  for (let j = sharpest + 1; j < rod.edgeCount; j++) out[j] = follow(j, out[j - 1]);
  for (let j = sharpest - 1; j >= 0; j--) out[j] = follow(j, out[j + 1]);
  return out;
}

/** Axis k (1 or 2) of the ghosts in a frame. */
export function ghostAxis(q: Float64Array, o: number, axis: number, angle: number): [number, number, number] {
  const own = axisOf(q, o, axis);
  if (angle === 0) return own;
  const other = axisOf(q, o, 3 - axis);
  const [c, s] = [cos(angle), axis === 1 ? sin(angle) : -sin(angle)];
  return [c * own[0] + s * other[0], c * own[1] + s * other[1], c * own[2] + s * other[2]];
}

const parity = (edge: number): number => (edge % 2 === 0 ? 1 : 2);

/** Positions of all particles in the unstrained shape, including stubs. */
function restShape(
  rod: Rod,
  ghostOffset: Float64Array,
  angle: Float64Array,
  start: number,
  stubs: readonly Stub[],
  particles: number,
): Float64Array {
  const out = new Float64Array(3 * particles);
  const frame = Float64Array.of(1, 0, 0, 0);
  const turn = new Float64Array(4);
  const back = new Float64Array(3);
  const node = [0, 0, 0];
  const put = (
    p: number,
    base: readonly number[],
    along: readonly number[],
    s: number,
    across: readonly number[],
    d: number,
  ): void => {
    for (let k = 0; k < 3; k++) out[3 * p + k] = base[k] + s * along[k] + d * across[k];
  };
  const placeStub = (side: number, q: Float64Array): void => {
    const stub = stubs.find((one) => one.side === side);
    if (!stub) return;
    put(stub.main, node, axisOf(q, 0, 3), side * stub.length, [0, 0, 0], 0);
    put(
      stub.ghost,
      node,
      axisOf(q, 0, 3),
      0.5 * side * stub.length,
      ghostAxis(q, 0, stub.axis, angle[side < 0 ? 0 : angle.length - 1]),
      stub.offset,
    );
  };
  // the first node's frame: the first edge's, rotated back by half of its rest strain
  for (let k = 0; k < 3; k++) back[k] = -rod.halfStrainRest[k];
  quaternionFromRotation(turn, 0, back, 0);
  placeStub(-1, turn.slice());
  for (let j = 0; j < rod.edgeCount; j++) {
    const tangent = axisOf(frame, 0, 3);
    const l = rod.edgeLengthRest[j];
    put(start + 2 * j, node, tangent, 0, tangent, 0);
    put(start + 2 * j + 1, node, tangent, 0.5 * l, ghostAxis(frame, 0, parity(j), angle[j]), ghostOffset[j]);
    for (let k = 0; k < 3; k++) node[k] += l * tangent[k];
    quaternionFromRotation(turn, 0, rod.halfStrainRest, 3 * (2 * j + 1));
    multiplyQuaternions(frame, 0, frame, 0, turn, 0);
    if (j + 1 === rod.edgeCount) break;
    quaternionFromRotation(turn, 0, rod.halfStrainRest, 3 * (2 * j + 2));
    multiplyQuaternions(frame, 0, frame, 0, turn, 0);
  }
  put(start + 2 * rod.edgeCount, node, [0, 0, 0], 0, [0, 0, 0], 0);
  placeStub(1, frame);
  return out;
}

/** The particles of a hair, between which springs are built. */
interface Chain {
  /** Index of the first node's particle, and number of all. */
  readonly start: number;
  readonly particleCount: number;
  /** Positions in the natural shape, 3 numbers per particle. */
  readonly rest: Float64Array;
  /** Pin that holds a particle behind a clamp, −1 for others. */
  pinOf(particle: number): number;
  /** True if one of two particles is the main particle behind a clamp. */
  behind(a: number, b: number): boolean;
}

function buildSprings(
  { rod: hairRod, truss, options }: Pick<HairParts, 'rod' | 'truss' | 'options'>,
  { start, particleCount: particles, rest, pinOf, behind }: Chain,
): Springs {
  const edge = (p: number): number => Math.min(hairRod.edgeCount - 1, Math.max(0, (p - start) >> 1));
  const list: { a: number; b: number; apart: number; k: number; c: number }[] = [];
  for (let p = 0; p < particles; p++) {
    for (let apart = 1; apart <= 3 && p + apart < particles; apart++) {
      const first = edge(p);
      // a spring that starts at a main particle belongs to the segment after it
      const last = edge(p + apart - (((p + apart - start) & 1) === 0 ? 1 : 0));
      const rigid = apart === 2 || (apart === 3 && behind(p, p + apart));
      const k = 0.5 * (rigid ? truss.stretch[first] + truss.stretch[last] : truss.edge[first] + truss.edge[last]);
      const beta =
        0.25 * [first, last].reduce((sum, j) => sum + hairRod.halfDamping[2 * j] + hairRod.halfDamping[2 * j + 1], 0);
      list.push({ a: p, b: p + apart, apart, k, c: options.damping + beta });
    }
  }
  const distance = (a: number, b: number): number =>
    hypot(rest[3 * a] - rest[3 * b], rest[3 * a + 1] - rest[3 * b + 1], rest[3 * a + 2] - rest[3 * b + 2]);
  return {
    count: list.length,
    a: Int32Array.from(list, ({ a }) => a),
    b: Int32Array.from(list, ({ b }) => b),
    stiffness: Float64Array.from(list, ({ k }) => k),
    damping: Float64Array.from(list, ({ c }) => c),
    rest: Float64Array.from(list, ({ a, b }) => distance(a, b)),
    apart: Uint8Array.from(list, ({ apart }) => apart),
    pin: Int32Array.from(list, ({ a, b }) => Math.max(pinOf(a), pinOf(b))),
  };
}

export interface HairParts {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly truss: Truss;
  readonly options: HairOptions;
  /** Views into the bundle's state. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly memory: Float64Array;
}

export function buildHair({ rod, drive, truss, options, q, v, memory }: HairParts): Hair {
  const clamps = clampsOf(rod, drive.pins);
  const particleCount = particlesOf(rod, drive.pins);
  const start = clamps.start >= 0 ? 2 : 0;
  const ghostOffset = truss.offset;
  const stubs = listStubs(rod, clamps, start, ghostOffset);
  const ghostAngle = ghostAnglesOf(rod);
  const rest = restShape(rod, ghostOffset, ghostAngle, start, stubs, particleCount);
  const pinOf = (particle: number): number =>
    stubs.find(({ ghost, main }) => particle === ghost || particle === main)?.pin ?? -1;
  const behind = (a: number, b: number): boolean => stubs.some(({ main }) => a === main || b === main);
  const springs = buildSprings({ rod, truss, options }, { start, particleCount, rest, pinOf, behind });
  const tetrahedra = buildTetrahedra({ rod, truss, options }, start, rest, pinOf);
  const { count } = tetrahedra;
  const size = 3 * particleCount;
  const { mass, massDamping } = spreadMass(rod, ghostOffset, start, size);
  const stiffnessScale = new Float64Array(size);
  for (let p = 0; p < particleCount; p++) {
    const j = segmentOf(rod, start, p);
    stiffnessScale.fill(bendingOf(rod, j).EI / pow(rod.edgeLengthRest[j], 3), 3 * p, 3 * p + 3);
  }
  return {
    rod,
    drive,
    pins: drive.pins,
    poses: drive.pins.map(() => createPinPose()),
    options,
    particleCount,
    size,
    start,
    stride: 2,
    springs,
    tetrahedra,
    stubs,
    ghostOffset,
    ghostAngle,
    q,
    v,
    orientation: memory.subarray(0, count),
    acceleration: memory.subarray(count, count + size),
    lastStep: memory.subarray(count + size),
    mass,
    massDamping,
    stiffnessScale,
    fixed: new Uint8Array(size),
    altitudeKind: new Int8Array(count),
    frozen: false,
    poseTime: 0,
    restTension: undefined,
    linkForces: undefined,
    samples: createSamples(rod),
    loads: createLoads(rod),
    loadFactor: 1,
  };
}

/** The particles behind clamped ends. */
function listStubs(
  rod: Rod,
  clamps: ReturnType<typeof clampsOf>,
  start: number,
  ghostOffset: ArrayLike<number>,
): Stub[] {
  const n = rod.edgeCount;
  const last = start + 2 * n;
  const stubs: Stub[] = [];
  if (clamps.start >= 0)
    stubs.push({
      pin: clamps.start,
      node: 0,
      ghost: 1,
      main: 0,
      side: -1,
      length: rod.edgeLengthRest[0],
      offset: ghostOffset[0],
      axis: 2,
    });
  if (clamps.end >= 0)
    stubs.push({
      pin: clamps.end,
      node: n,
      ghost: last + 1,
      main: last + 2,
      side: 1,
      length: rod.edgeLengthRest[n - 1],
      offset: ghostOffset[n - 1],
      axis: parity(n),
    });
  return stubs;
}
