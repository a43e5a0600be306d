/** The bust that carries the hair: what is drawn, and the distances to its skin that hair keeps out of. */
import { type FieldTable, tabulateField } from '@tendril-sim/core/batch';
import { bustDistance, headMesh, type Mesh } from '../worker/groom/heads.ts';

export interface Bust {
  readonly mesh: Mesh;
  readonly table: FieldTable;
}

/** Longest edge of a strand [m], and how exact the skin is where hair touches it [m]. */
const REACH = 0.014;
const TOLERANCE = 2e-4;
/** The box of the bust [m]. */
const low = [-0.24, -0.13, -0.36] as const;
const high = [0.24, 0.14, 0.125] as const;

export function makeBust(): Bust {
  return {
    mesh: headMesh('head', { isFine: true }),
    table: tabulateField({ low, high, distanceAt: bustDistance }, REACH, TOLERANCE),
  };
}
