/** What the sweeps over a chain of helices read: gradients and tensors on nodes and edges, and point masses of contacts. */

import { aa, ka, kk, km, ma, mm } from './blocks.ts';
import { addTransposed33 } from './matrix3.ts';
import type { HelixChain } from './rod.ts';
/** Inputs and outputs of a sweep. Gradients are +∂E/∂x. */
export interface Assembly {
  /** Symmetric 3×3 per node (xx xy xz yy yz zz): second derivative by the node's position. */
  readonly nodeTensor: Float64Array;
  /** w: the tensor w (1 + t tᵀ) by the turning of the node's frame. */
  readonly nodeSpin: Float64Array;
  /** 3 per node */
  readonly nodeGradient: Float64Array;
  /** Σ f dᵀ over vectors d that turn with the node's frame, f being the gradient by d; 9 per node. */
  readonly nodeMoment: Float64Array;
  /** Like the array above, for the frame in the middle of an edge; 9 per edge, used if `hasEdgeMoment`. */
  readonly edgeMoment: Float64Array;
  hasEdgeMoment: boolean;
  /** Diagonal of the elastic part, 3 per element. */
  readonly diagonal: Float64Array;
  /** ∂E/∂κ of the terms on nodes and edges, 3 per element. */
  readonly gradient: Float64Array;
  /** Total gradient of forces, and Σ f dᵀ about the root: the reaction. */
  readonly rootGradient: Float64Array;
  readonly rootMoment: Float64Array;
  /** L⁻¹ (Ikr), 18 per element; entries of unit L and 1/pivot, 6 per element. */
  readonly coupling: Float64Array;
  readonly pivot: Float64Array;
  /** Non-positive pivots. */
  negative: number;
  /** Point masses that contact attaches while it solves. */
  pointMasses?: PointMasses;
}

/** Points that move with v = v_e + P ω_e + J δκ_e, where (ω_e, v_e) is the motion of the near end of their element. */
export interface PointMasses {
  /** Points of element e are order[first[e]] … order[first[e + 1] − 1]. */
  readonly first: Int32Array;
  readonly order: Int32Array;
  /** 9 per point each, row by row. */
  readonly turn: Float64Array;
  readonly own: Float64Array;
  readonly mass: Float64Array;
}

export function joinPointMasses({ first, order, turn, own, mass }: PointMasses, e: number): void {
  for (let i = first[e]; i < first[e + 1]; i++) {
    const o = 9 * order[i];
    const m = mass[order[i]];
    addTransposed33(kk, 0, own, o, own, o, m);
    addTransposed33(ka, 0, own, o, turn, o, m);
    addTransposed33(aa, 0, turn, o, turn, o, m);
    for (let r = 0; r < 3; r++) {
      mm[4 * r] += m;
      for (let k = 0; k < 3; k++) {
        km[3 * r + k] += m * own[o + 3 * k + r];
        ma[3 * r + k] += m * turn[o + 3 * r + k];
      }
    }
  }
}

export function createAssembly(rod: Pick<HelixChain, 'nodeCount' | 'edgeCount' | 'elementCount'>): Assembly {
  const { nodeCount, edgeCount, elementCount } = rod;
  return {
    nodeTensor: new Float64Array(6 * nodeCount),
    nodeSpin: new Float64Array(nodeCount),
    nodeGradient: new Float64Array(3 * nodeCount),
    nodeMoment: new Float64Array(9 * nodeCount),
    edgeMoment: new Float64Array(9 * edgeCount),
    hasEdgeMoment: false,
    diagonal: new Float64Array(3 * elementCount),
    gradient: new Float64Array(3 * elementCount),
    rootGradient: new Float64Array(3),
    rootMoment: new Float64Array(9),
    coupling: new Float64Array(18 * elementCount),
    pivot: new Float64Array(6 * elementCount),
    negative: 0,
  };
}
