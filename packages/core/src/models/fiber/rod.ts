/**
 * One rod as an oscillator network: a ring of four particles at every node, a cuboid on every edge. [Michels2015 §3.1]
 *
 * Corners of a ring, seen along the rod: 0 (−,−), 1 (+,−), 2 (+,+), 3 (−,+) in (d1, d2). A cuboid has four longitudinal springs from corner c to corner c,
 * and on each lateral face one shear element on its two diagonals, p from corner c to c + 1 and q from c + 1 to c: E = ½ k_s (|p| − |q| − s0)². A ring
 * has four edges and two diagonals. A ring is at its node exactly, so a clamp is too, and its error is of second order.
 *
 * NOTE: the springs of [Michels2015 Appendix A] are not used: they give negative stiffness beyond an aspect ratio of 1.8 and no torsional stiffness
 * (test `counterexample`; docs/notes/fiber.md#springs-of-a-cuboid).
 */

import { SceneError } from '../../errors.ts';
import { hypotOf, square } from '../../math/rounded/index.ts';
import type { Drive } from '../../model.ts';
import { type Allocate, allocatePlain, createLoads, createSamples, type Loads, type Samples } from '../../port.ts';
import { createPinPose, type Pin, type PinPose, type Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { type HeldRing, holdRings } from './held.ts';
import type { FiberOptions } from './options.ts';
import { buildRest, type RestShape } from './rest.ts';
import { chooseWidths, edgeStiffness } from './scaffold.ts';

/** Springs of a ring: four edges, two diagonals. */
export const RING_FROM: readonly number[] = [0, 1, 2, 3, 0, 1];
export const RING_TO: readonly number[] = [1, 2, 3, 0, 2, 3];

export interface FiberRod {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly pins: readonly Pin[];
  readonly poses: readonly PinPose[];
  /** When the poses were evaluated [s]. */
  poseTime: number;
  readonly held: readonly HeldRing[];
  readonly ringCount: number;
  readonly edgeCount: number;
  /** Unknowns: 12 per ring, particle by particle. */
  readonly size: number;
  /** Width of the scaffold along d1 and d2 [m]. */
  readonly width1: number;
  readonly width2: number;

  /** Rest length of the longitudinal springs [m], 4 per cuboid; |p| − |q| at rest [m], 4 per cuboid. */
  readonly longRest: Float64Array;
  readonly shearRest: Float64Array;
  readonly rest: RestShape;
  /** [N/m], 1 per cuboid; 2 per cuboid (faces across d2, faces across d1); 1 per ring. At the start, and now. */
  readonly longBase: Float64Array;
  readonly shearBase: Float64Array;
  readonly ringBase: Float64Array;
  readonly longStiffness: Float64Array;
  readonly shearStiffness: Float64Array;
  readonly ringStiffness: Float64Array;

  /**
   * Mass matrix of a ring: M x = particleMass·x + couplingMass·Σ x over its particles; ringMass [kg] is the whole. With the
   * scaffold's own inertia particles have a quarter each and couplingMass is 0.
   */
  readonly ringMass: Float64Array;
  readonly particleMass: Float64Array;
  readonly couplingMass: Float64Array;
  /** Mass damping [1/s] of a ring; stiffness damping [s] of a cuboid and of a ring. */
  readonly ringDamping: Float64Array;
  readonly edgeViscosity: Float64Array;
  readonly ringViscosity: Float64Array;

  /** Particle positions and velocities; views into the bundle's state. */
  readonly q: Float64Array;
  readonly v: Float64Array;
  /** Memory of the integrator; see `memorySize`. */
  readonly memory: Float64Array;
  readonly samples: Samples;
  readonly loads: Loads;
  /** True if some load depends on the state, so loads are evaluated at every iterate. */
  loadsDependOnState: boolean;
  /** Contact forces on particles [N] in the current or the last step. */
  contactForce: Float64Array | undefined;
  /** Share of the loads that acts; less than 1 only while an equilibrium is approached in parts. */
  loadFactor: number;
}

export function unknownCount(rod: Rod): number {
  return 12 * rod.nodeCount;
}

function refuseWhatDoesNotFit(rod: Rod): void {
  if (rod.closed)
    throw new SceneError(['rods'], `rod '${rod.id}' is closed; model fiber has open rods only: use model: der`);
  for (let j = 0; j < rod.edgeCount; j++) {
    const h = rod.halfStrainRest;
    const turn = hypotOf([0, 1, 2].map((k) => h[6 * j + k] + h[6 * j + 3 + k]));
    if (turn > 1.2) {
      throw new SceneError(
        ['rods'],
        `rod '${rod.id}': the natural shape turns by ${turn.toFixed(2)} rad over edge ${j}, more than a cuboid can (1.2); use more edges`,
      );
    }
  }
  for (let i = 1; i + 1 < rod.nodeCount; i++) {
    const natural = rod.halfStrainRest[6 * i - 1] + rod.halfStrainRest[6 * i + 2];
    const twist = Math.abs(rod.nodeTwist[i] - natural);
    if (twist > 0.7) {
      throw new SceneError(
        ['rods'],
        `rod '${rod.id}' is twisted by ${twist.toFixed(2)} rad at node ${i}; a cuboid collapses at π/4: use more edges`,
      );
    }
  }
}

type StiffnessFields = 'longBase' | 'shearBase' | 'ringBase' | 'edgeViscosity' | 'ringViscosity';

/** Stiffness and viscosity of all springs of a scaffold of these widths; `ring`: stiffness of rings relative to that of edges. */
function createStiffness(
  rod: Rod,
  { width1, width2 }: { readonly width1: number; readonly width2: number },
  twistCorrection: ArrayLike<number>,
  ring: number,
): Pick<FiberRod, StiffnessFields> {
  const { nodeCount: ringCount, edgeCount } = rod;
  const longBase = new Float64Array(edgeCount);
  const shearBase = new Float64Array(2 * edgeCount);
  const ringBase = new Float64Array(ringCount);
  const edgeViscosity = new Float64Array(edgeCount);
  const ringViscosity = new Float64Array(ringCount);
  for (let j = 0; j < edgeCount; j++) {
    const l = rod.edgeLengthRest[j];
    longBase[j] = edgeStiffness(rod.halfEI1, j) / (l * width2 * width2);
    // k_s = GJ (l² + w²)/(4 a1² a2² l) on a face of width w, times the correction for the cuboid's natural twist
    const twisting = (edgeStiffness(rod.halfGJ, j) * twistCorrection[j]) / (4 * square(width1 * width2) * l);
    shearBase[2 * j] = twisting * (l * l + width1 * width1);
    shearBase[2 * j + 1] = twisting * (l * l + width2 * width2);
    edgeViscosity[j] = 0.5 * (rod.halfDamping[2 * j] + rod.halfDamping[2 * j + 1]);
  }
  for (let i = 0; i < ringCount; i++) {
    const before = Math.max(i - 1, 0);
    const after = Math.min(i, edgeCount - 1);
    ringBase[i] = 0.5 * ring * (longBase[before] + longBase[after]);
    ringViscosity[i] = 0.5 * (edgeViscosity[before] + edgeViscosity[after]);
  }
  return { longBase, shearBase, ringBase, edgeViscosity, ringViscosity };
}

export interface FiberParts {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly scene: Scene;
  readonly options: FiberOptions;
  readonly warnings: string[];
  /** Memory for the samples. */
  readonly allocate?: Allocate;
}

/** A rod on the given slices of the bundle's state. */
export function createFiberRod(
  { rod, drive, scene, options, warnings, allocate = allocatePlain }: FiberParts,
  state: Pick<FiberRod, 'q' | 'v' | 'memory'>,
): FiberRod {
  refuseWhatDoesNotFit(rod);
  const { nodeCount: ringCount, edgeCount } = rod;
  const { width1, width2 } = chooseWidths({ rod, drive, scene, options }, warnings);
  const rest = buildRest(rod, width1, width2);
  const stiffness = createStiffness(rod, { width1, width2 }, rest.twistCorrection, options.ring ?? 20);
  const masses = distributeMass(rod, width1, width2, options);
  return {
    rod,
    drive,
    pins: drive.pins,
    poses: drive.pins.map(() => createPinPose()),
    poseTime: 0,
    held: holdRings(drive.pins),
    ringCount,
    edgeCount,
    size: 12 * ringCount,
    width1,
    width2,
    longRest: rest.longRest,
    shearRest: rest.shearRest,
    rest,
    ...stiffness,
    longStiffness: stiffness.longBase.slice(),
    shearStiffness: stiffness.shearBase.slice(),
    ringStiffness: stiffness.ringBase.slice(),
    ...masses,
    ringDamping: rod.nodeDamping.slice(),
    ...state,
    samples: createSamples(rod, allocate),
    loads: createLoads(rod),
    loadsDependOnState: drive.sources.some((source) => source.dependsOnState),
    contactForce: undefined,
    loadFactor: 1,
  };
}

type Masses = Pick<FiberRod, 'ringMass' | 'particleMass' | 'couplingMass'>;

function distributeMass(rod: Rod, width1: number, width2: number, { inertia, integrator }: FiberOptions): Masses {
  const { nodeCount, edgeCount, nodeMass, edgeInertia } = rod;
  const isKnown = edgeInertia.every((value) => value > 0);
  const out: Masses = {
    ringMass: nodeMass.slice(),
    particleMass: nodeMass.map((m) => m / 4),
    couplingMass: new Float64Array(nodeCount),
  };
  if ((inertia ?? (isKnown ? 'section' : 'scaffold')) === 'scaffold') return out;
  for (let i = 0; i < nodeCount; i++) {
    const polar = 0.5 * ((i > 0 ? edgeInertia[i - 1] : 0) + (i < edgeCount ? edgeInertia[i] : 0));
    // four corners at (a1² + a2²)/4 from the axis
    out.particleMass[i] = polar / (width1 * width1 + width2 * width2);
    out.couplingMass[i] = (nodeMass[i] / 4 - out.particleMass[i]) / 4;
    if (!(polar > 0) && (integrator === 'deti' || integrator === 'deti-r')) {
      throw new SceneError(
        ['solver', 'fiber', 'inertia'],
        `rod '${rod.id}' has no polar inertia, and ${integrator} needs some; give 'inertia' in the section, or use inertia: scaffold`,
      );
    }
  }
  return out;
}

/** Updates the stiffness to time t, if it changes. Rings scale with E. */
export function updateStiffness(fiber: FiberRod, t: number): void {
  const { rod, edgeCount, ringCount, longBase, shearBase, ringBase, longStiffness, shearStiffness, ringStiffness } =
    fiber;
  const { animation } = rod;
  if (!animation) return;
  for (let j = 0; j < edgeCount; j++) {
    const u = (rod.nodeArc[j] + 0.5 * rod.edgeLengthRest[j]) / rod.length;
    const G = animation.factor('G', t, u);
    longStiffness[j] = longBase[j] * animation.factor('E', t, u);
    shearStiffness[2 * j] = shearBase[2 * j] * G;
    shearStiffness[2 * j + 1] = shearBase[2 * j + 1] * G;
  }
  for (let i = 0; i < ringCount; i++)
    ringStiffness[i] = ringBase[i] * animation.factor('E', t, rod.nodeArc[i] / rod.length);
}

/** out = M x */
export function applyMass(out: Float64Array, fiber: FiberRod, x: Float64Array): void {
  const { ringCount, particleMass, couplingMass } = fiber;
  for (let i = 0; i < ringCount; i++) {
    const m = particleMass[i];
    const c = couplingMass[i];
    for (let k = 12 * i; k < 12 * i + 3; k++) {
      const shared = c * (x[k] + x[k + 3] + x[k + 6] + x[k + 9]);
      out[k] = m * x[k] + shared;
      out[k + 3] = m * x[k + 3] + shared;
      out[k + 6] = m * x[k + 6] + shared;
      out[k + 9] = m * x[k + 9] + shared;
    }
  }
}

/** An upper bound of the highest frequency [rad/s]: twice the springs at a particle over its mass. */
export function highestFrequency(fiber: FiberRod): number {
  const { ringCount, edgeCount, longStiffness, shearStiffness, ringStiffness, particleMass } = fiber;
  let largest = 0;
  for (let i = 0; i < ringCount; i++) {
    let sum = 3 * ringStiffness[i];
    for (const j of [i - 1, i]) {
      if (j < 0 || j >= edgeCount) continue;
      // a shear element acts on both its diagonals at once
      sum += longStiffness[j] + 2 * (shearStiffness[2 * j] + shearStiffness[2 * j + 1]);
    }
    largest = Math.max(largest, (2 * sum) / particleMass[i]);
  }
  return Math.sqrt(largest);
}
