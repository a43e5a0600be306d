/**
 * Air that resists motion relative to the wind.
 *
 * Each half edge drags its own node: velocity of the node, wind at the middle of the edge, direction and diameter of the edge.
 * The velocity at the middle of the edge would leave a zigzag of the nodes undamped, and its derivative would couple neighbours.
 * This way the derivative by velocity is exact, positive semidefinite and local to one node. Drag across and along the rod is
 * independent (the cross-flow principle): normal drag is proportional to |v⊥|v⊥, tangential drag to |v∥|v∥. Lengths are rest lengths.
 */
import type { LoadSource, UniformAir } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';

export interface AirOptions {
  /** Writes the wind [m/s] at (x, y, z) and t. */
  readonly wind: (out: Float64Array, x: number, y: number, z: number, t: number) => void;
  /** [N s/m²] per length: across and along. */
  readonly linearNormal: number;
  readonly linearTangential: number;
  /** ½·density·coefficient [kg/m³]; times the diameter it is the drag per length and speed². */
  readonly quadraticNormal: number;
  readonly quadraticTangential: number;
  readonly factor: (t: number) => number;
  /** On each edge; default 1. */
  readonly edgeWeight?: Float64Array;
  /** The field of the scene, if the wind does not depend on the place. */
  readonly uniform?: object;
}

/** Creates the drag of moving air on rods. */
export function createAir(rod: Rod, options: AirOptions): LoadSource {
  const { edgeCount, nodeCount, edgeLengthRest, edgeRadius } = rod;
  const { wind, linearNormal, linearTangential, quadraticNormal, quadraticTangential, factor, edgeWeight } = options;
  const air = new Float64Array(3);
  return {
    ...(options.uniform && { air: describeAir(rod, options, options.uniform) }),
    dependsOnState: true,
    potential: () => 0,
    addLoads({ nodeForce, nodeDrag }, { nodePosition: x, nodeVelocity, edgeTangent }, t) {
      const strength = factor(t);
      for (let j = 0; j < edgeCount; j++) {
        const half = 0.5 * strength * edgeLengthRest[j] * (edgeWeight ? edgeWeight[j] : 1);
        const diameter = 2 * edgeRadius[j];
        const next = (j + 1) % nodeCount;
        const tx = edgeTangent[3 * j];
        const ty = edgeTangent[3 * j + 1];
        const tz = edgeTangent[3 * j + 2];
        const a = 3 * j;
        const b = 3 * next;
        wind(air, 0.5 * (x[a] + x[b]), 0.5 * (x[a + 1] + x[b + 1]), 0.5 * (x[a + 2] + x[b + 2]), t);
        for (let end = 0; end < 2; end++) {
          const i = end === 0 ? j : next;
          const vx = nodeVelocity[3 * i] - air[0];
          const vy = nodeVelocity[3 * i + 1] - air[1];
          const vz = nodeVelocity[3 * i + 2] - air[2];
          const along = vx * tx + vy * ty + vz * tz;
          const nx = vx - along * tx;
          const ny = vy - along * ty;
          const nz = vz - along * tz;
          const across = Math.sqrt(nx * nx + ny * ny + nz * nz);
          const cn = half * (linearNormal + quadraticNormal * diameter * across);
          const ct = half * (linearTangential + quadraticTangential * diameter * Math.abs(along));
          nodeForce[3 * i] -= cn * nx + ct * along * tx;
          nodeForce[3 * i + 1] -= cn * ny + ct * along * ty;
          nodeForce[3 * i + 2] -= cn * nz + ct * along * tz;
          // −∂F/∂v = cn(I − ttᵀ) + q nnᵀ/|n| + (ct + quadratic again) ttᵀ
          const q = across > 0 ? (half * quadraticNormal * diameter) / across : 0;
          const c = ct - cn + half * quadraticTangential * diameter * Math.abs(along);
          nodeDrag[6 * i] += cn + c * tx * tx + q * nx * nx;
          nodeDrag[6 * i + 1] += c * tx * ty + q * nx * ny;
          nodeDrag[6 * i + 2] += c * tx * tz + q * nx * nz;
          nodeDrag[6 * i + 3] += cn + c * ty * ty + q * ny * ny;
          nodeDrag[6 * i + 4] += c * ty * tz + q * ny * nz;
          nodeDrag[6 * i + 5] += cn + c * tz * tz + q * nz * nz;
        }
      }
    },
  };
}

function describeAir({ edgeLengthRest, edgeRadius }: Rod, options: AirOptions, field: object): UniformAir {
  const { wind, linearNormal, linearTangential, quadraticNormal, quadraticTangential, factor, edgeWeight } = options;
  const coefficients = new Float64Array(4 * edgeLengthRest.length);
  edgeLengthRest.forEach((length, j) => {
    const half = 0.5 * length * (edgeWeight ? edgeWeight[j] : 1);
    const diameter = 2 * edgeRadius[j];
    const perSpeed = [linearNormal, linearTangential, quadraticNormal * diameter, quadraticTangential * diameter];
    coefficients.set(
      perSpeed.map((c) => half * c),
      4 * j,
    );
  });
  return {
    coefficients,
    field,
    read(out, t) {
      wind(out, 0, 0, 0, t);
      out[3] = factor(t);
    },
  };
}
