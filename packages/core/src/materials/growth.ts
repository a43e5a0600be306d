/** Linear elastic bending and twist whose natural strain is multiplied by a factor in time: growth, shape memory, bimetal. */
import type { GrowthSpec } from '../scene/materialTypes.ts';
import { compileTimed } from '../scene/varying.ts';
import { MOMENT, RESPONSE, type SectionLaw, STORED_BEND, STORED_TWIST, TANGENT } from './law.ts';

const DIAGONAL = [0, 3, 5] as const;

/** Creates the law; `path`: its place in the scene, for errors. */
export function createGrowth({ factor }: GrowthSpec, path: readonly (string | number)[]): SectionLaw {
  const factorAt = compileTimed(factor, [...path, 'factor']);
  let [time, value] = [0, factorAt(0)];
  return {
    size: 0,
    isElastic: true,
    isLinearAtRest: false,
    naturalFactor(t) {
      if (t !== time) [time, value] = [t, factorAt(t)];
      return value;
    },
    respond(out, { strain, stiffness }) {
      out.fill(0, 0, RESPONSE);
      for (let a = 0; a < 3; a++) {
        out[MOMENT + a] = stiffness[a] * strain[a];
        out[TANGENT + DIAGONAL[a]] = stiffness[a];
        out[a < 2 ? STORED_BEND : STORED_TWIST] += 0.5 * stiffness[a] * strain[a] * strain[a];
      }
    },
    advance() {},
  };
}
