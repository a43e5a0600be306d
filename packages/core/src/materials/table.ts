/**
 * Nonlinear elastic bending: moment by curvature, linear between the points of a table, odd in the curvature. Beyond the last point the last slope continues.
 * Twist, and bending about the other axis if the table is for one axis, are linear elastic.
 */
import type { TableSpec } from '../scene/materialTypes.ts';
import { MOMENT, RESPONSE, type Section, type SectionLaw, STORED_BEND, STORED_TWIST, TANGENT } from './law.ts';

/** Moment, slope and energy at the last curvature that was read. */
const value = { moment: 0, slope: 0, energy: 0 };

/** Components of strain that a table is for: d2 bends along the first, d1 along the second. */
const COMPONENTS = { all: [0, 1], d1: [1], d2: [0] } as const;
const DIAGONAL = [0, 3, 5] as const;

/** Writes `value` at a curvature that is not negative. `energies`: areas under the table up to its points. */
function readTable(points: TableSpec['moments'], energies: readonly number[], curvature: number): void {
  let k = 0;
  while (k + 1 < points.length && curvature > points[k][0]) k++;
  const [fromX, fromY] = k === 0 ? [0, 0] : points[k - 1];
  const along = curvature - fromX;
  value.slope = (points[k][1] - fromY) / (points[k][0] - fromX);
  value.moment = fromY + value.slope * along;
  value.energy = (k === 0 ? 0 : energies[k - 1]) + 0.5 * (fromY + value.moment) * along;
}

function writeLinear(out: Float64Array, { strain, stiffness }: Section): void {
  out.fill(0, 0, RESPONSE);
  for (let a = 0; a < 3; a++) {
    out[MOMENT + a] = stiffness[a] * strain[a];
    out[TANGENT + DIAGONAL[a]] = stiffness[a];
    out[a < 2 ? STORED_BEND : STORED_TWIST] += 0.5 * stiffness[a] * strain[a] * strain[a];
  }
}

export function createTable({ moments, axis = 'all' }: TableSpec): SectionLaw {
  const components: readonly number[] = COMPONENTS[axis];
  const energies: number[] = [];
  moments.forEach(([x, y], k) => {
    const [fromX, fromY] = k === 0 ? [0, 0] : moments[k - 1];
    energies.push((energies[k - 1] ?? 0) + 0.5 * (fromY + y) * (x - fromX));
  });
  return {
    size: 0,
    isElastic: true,
    isLinearAtRest: false,
    respond(out, section) {
      const { strain, stiffness, length } = section;
      writeLinear(out, section);
      let square = 0;
      for (const a of components) square += strain[a] * strain[a];
      const angle = Math.sqrt(square);
      readTable(moments, energies, angle / length);
      const { moment, slope, energy } = value;
      // along the curve of the table, and across the direction of bending
      const across = angle > 0 ? moment / angle : slope / length;
      const added = angle > 0 ? (slope / length - across) / square : 0;
      out[STORED_BEND] += energy * length;
      for (const a of components) {
        out[STORED_BEND] -= 0.5 * stiffness[a] * strain[a] * strain[a];
        out[MOMENT + a] = across * strain[a];
        out[TANGENT + DIAGONAL[a]] = across + added * strain[a] * strain[a];
      }
      if (components.length === 2) out[TANGENT + 1] = added * strain[0] * strain[1];
    },
    advance() {},
  };
}
