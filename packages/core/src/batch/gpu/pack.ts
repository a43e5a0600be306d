/** Packs strands into the buffers of a device. */
import type { Quaternion, Vector } from '../algebra.ts';
import { LANES, RELATIVE } from '../layout.ts';
import { airSlot, bufferSlots, hasContactOf, type ShaderOptions, STRAND_VECTORS } from './shader.ts';

/** Description of one strand for a device; arrays have one or three entries per edge, masses one per node. */
export interface StrandDescription {
  /** Material frame at the root, in the frame of the head. */
  readonly frame: Quaternion;
  /** Root in the frame of the head [m]. */
  readonly place: Vector;
  /** [m]. */
  readonly edgeLength: ArrayLike<number>;
  /** [kg]. */
  readonly nodeMass: ArrayLike<number>;
  /** [N m] about d1, d2, t, the half joint at the clamp included. */
  readonly jointStiffness: ArrayLike<number>;
  /** Natural rotation vector of the joints [rad], 3 per joint. */
  readonly jointStrainRest: ArrayLike<number>;
  /** Vector parts of the joints' rotations at the start. */
  readonly relative: ArrayLike<number>;
  /** Stiffness against turns of the first edge in Newton's matrix, if the strand is not clamped [N m]. */
  readonly rootSoftness?: number;
  /** Drag of air on half of each edge, 4 per edge: see UniformAir. */
  readonly air?: ArrayLike<number>;
  /** Contact radius of every edge [m], and for each obstacle the number of edges, counted from the root, that do not touch it. */
  readonly contact?: {
    readonly radius: ArrayLike<number>;
    readonly spared: ArrayLike<number>;
    /** Radius in contact with strands; default: the same. */
    readonly pairRadius?: ArrayLike<number>;
  };
}

/** Throws if a strand has another number of nodes, or a value that is not a number: the device would compute with it without an error. */
export function checkStrands(strands: readonly StrandDescription[], nodes: number): void {
  strands.forEach((strand, s) => {
    if (strand.edgeLength.length !== nodes - 1)
      throw new Error(`strand ${s} has ${strand.edgeLength.length + 1} nodes; all must have ${nodes}`);
    for (const name of ['frame', 'place', 'jointStiffness', 'jointStrainRest', 'relative'] as const) {
      const k = Array.prototype.findIndex.call(strand[name], (x: number) => !Number.isFinite(x));
      if (k >= 0) throw new Error(`strand ${s}: ${name}[${k}] is ${strand[name][k]}; it must be a finite number`);
    }
    for (const name of ['edgeLength', 'nodeMass'] as const) {
      const k = Array.prototype.findIndex.call(strand[name], (x: number) => !(x > 0 && x < Number.POSITIVE_INFINITY));
      if (k >= 0) throw new Error(`strand ${s}: ${name}[${k}] is ${strand[name][k]}; it must be positive`);
    }
  });
}

/** True if all joints of a strand are equal, except for the half joint at the clamp and the half masses at the ends. */
export function isUniform({ edgeLength, nodeMass, jointStiffness }: StrandDescription): boolean {
  const n = edgeLength.length;
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.abs(b);
  for (let j = 0; j < n; j++) {
    if (!near(edgeLength[j], edgeLength[0])) return false;
    if (!near(nodeMass[j + 1], nodeMass[n] * (j + 1 < n ? 2 : 1))) return false;
    for (let k = 0; k < 3; k++)
      if (!near(jointStiffness[3 * j + k], jointStiffness[k] * (j === 0 ? 1 : 0.5))) return false;
  }
  return true;
}

/** Buffers of a few blocks of strands: constants, joints and the initial state. */
export function packBlocks(
  strands: readonly StrandDescription[],
  blocks: number,
  options: ShaderOptions & { readonly contactRadius: number },
): { readonly joint: Float32Array<ArrayBuffer>; readonly state: Float32Array<ArrayBuffer> } {
  const slots = bufferSlots(options);
  const { nodes, varying, obstacles, contactRadius } = options;
  const joint = new Float32Array(blocks * nodes * slots.joint * LANES * 4);
  const state = new Float32Array(blocks * nodes * slots.state * LANES * 4);
  for (let s = 0; s < blocks * LANES; s++) {
    const strand = strands[s % strands.length];
    const at = (i: number, count: number, slot: number): number =>
      4 * ((((s >> 5) * nodes + i) * count + slot) * LANES + (s & 31));
    for (let i = 0; i < nodes; i++) {
      const o = at(i, slots.joint, 0);
      joint[o + 3] = strand.nodeMass[i];
      if (hasContactOf(options)) {
        const { radius, spared, pairRadius = radius } = strand.contact ?? {};
        const last = at(i, slots.joint, slots.joint - 1);
        joint[last] = i < nodes - 1 ? (radius?.[i] ?? contactRadius) : 0;
        joint[last + 2] = i < nodes - 1 ? (pairRadius?.[i] ?? contactRadius) : 0;
        joint[last + 1] = i < obstacles ? (spared?.[i] ?? 0) : 0;
      }
      if (i === nodes - 1) continue;
      for (let k = 0; k < 3; k++) {
        joint[o + k] = strand.jointStrainRest[3 * i + k];
        state[at(i, slots.state, RELATIVE) + k] = strand.relative[3 * i + k];
        if (varying) joint[at(i, slots.joint, 1) + k] = strand.jointStiffness[3 * i + k];
      }
      if (varying) joint[at(i, slots.joint, 1) + 3] = strand.edgeLength[i];
      if (options.air)
        for (let k = 0; k < 4; k++) joint[at(i, slots.joint, airSlot(options)) + k] = strand.air?.[4 * i + k] ?? 0;
    }
  }
  return { joint, state };
}

export function packStrands(strands: readonly StrandDescription[], count: number): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(4 * count * STRAND_VECTORS);
  for (let s = 0; s < count; s++) {
    const { jointStiffness: k, nodeMass, frame, place, edgeLength } = strands[s % strands.length];
    // stiffness of a whole joint: half of that of the half joint at the clamp
    packed.set([0.5 * k[0], 0.5 * k[1], 0.5 * k[2], nodeMass[1]], 4 * s * STRAND_VECTORS);
    packed.set([...frame, ...place, edgeLength[0]], 4 * s * STRAND_VECTORS + 4);
  }
  return packed;
}
