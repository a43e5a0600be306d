/** Converts a curve with a section to a strand for a device, without a scene: for pages that make strands by the ten thousand. */
import { dot, type Quaternion, scale, subtract, type Vector } from '../algebra.ts';
import { compose, conjugate, normalize, rotate, rotationVector, toVectorPart } from '../formulas.ts';
import { frameQuaternion } from '../rod.ts';
import type { StrandDescription } from './pack.ts';

/** A circular or elliptic section and its material. */
export interface CurveSection {
  /** Half axis along the first director [m]. */
  readonly a: number;
  /** Half axis along the second director [m]; equal to `a` for a circle. */
  readonly b: number;
  /** Young's modulus [Pa]. */
  readonly youngModulus: number;
  /** Shear modulus [Pa]. */
  readonly shearModulus: number;
  /** [kg/m³] */
  readonly density: number;
}

/** Stiffness against bending about both directors and against twist [N m²], and mass per length [kg/m]. */
function stiffnessOf({ a, b, youngModulus, shearModulus, density }: CurveSection): readonly [Vector, number] {
  const area = Math.PI * a * b;
  const torsion = (Math.PI * (a * b) * (a * b) * (a * b)) / (a * a + b * b);
  return [
    [0.25 * youngModulus * area * b * b, 0.25 * youngModulus * area * a * a, shearModulus * torsion],
    density * area,
  ];
}

/** Frame of the first edge: its first director is the component of `wish` across the tangent. */
function firstFrame(t: Vector, wish: Vector): Quaternion {
  const d = subtract(wish, scale(dot(wish, t), t));
  const size = Math.sqrt(dot(d, d));
  if (size < 1e-6) return firstFrame(t, Math.abs(t[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]);
  return frameQuaternion(t, scale(1 / size, d));
}

/** Rotation in the axes of `frame` that turns its tangent to `t` without twist. */
function turnTo(frame: Quaternion, t: Vector): Quaternion {
  const [x, y, z] = rotate(conjugate(frame), t);
  const w = Math.sqrt(0.5 * (1 + z));
  if (!(w > 0.05)) throw new Error('a curve turns back on itself between two edges; use more points');
  return [-y / (2 * w), x / (2 * w), 0, w];
}

/**
 * A strand whose natural shape, in which it starts, is a curve: 3 numbers per point [m], the first held in place and direction. Its frames follow
 * the curve without twist. `director`: wish for the first director of the first edge.
 */
export function describeCurve(
  points: ArrayLike<number>,
  section: CurveSection,
  director: Vector = [0, 0, 1],
): StrandDescription {
  const edges = points.length / 3 - 1;
  if (!(edges >= 1 && Number.isInteger(edges)))
    throw new Error(`a curve of ${points.length} numbers has no edges; give 3 for each of two points or more`);
  const [stiffness, massPerLength] = stiffnessOf(section);
  const edgeLength = new Float64Array(edges);
  const nodeMass = new Float64Array(edges + 1);
  const [jointStiffness, jointStrainRest, relative] = [0, 1, 2].map(() => new Float64Array(3 * edges));
  let first: Quaternion | undefined;
  let frame: Quaternion = [0, 0, 0, 1];
  for (let j = 0; j < edges; j++) {
    const at = (i: number): Vector => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    const edge = subtract(at(j + 1), at(j));
    const length = Math.sqrt(dot(edge, edge));
    if (!(length > 0)) throw new Error(`edge ${j} of a curve has the length ${length}; its ends must differ`);
    const tangent = scale(1 / length, edge);
    if (first) {
      const turn = turnTo(frame, tangent);
      relative.set(toVectorPart(turn), 3 * j);
      jointStrainRest.set(rotationVector(toVectorPart(turn)), 3 * j);
      frame = normalize(compose(frame, turn));
    } else {
      first = firstFrame(tangent, director);
      frame = first;
    }
    // half of each of the two edges beside the joint; at the clamp, of one
    const span = 0.5 * (length + (j > 0 ? edgeLength[j - 1] : 0));
    for (let k = 0; k < 3; k++) jointStiffness[3 * j + k] = stiffness[k] / span;
    edgeLength[j] = length;
    nodeMass[j] += 0.5 * massPerLength * length;
    nodeMass[j + 1] += 0.5 * massPerLength * length;
  }
  return {
    frame: first ?? frame,
    place: [points[0], points[1], points[2]],
    edgeLength,
    nodeMass,
    jointStiffness,
    jointStrainRest,
    relative,
  };
}
