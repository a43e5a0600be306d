/** Stable step length of the explicit schemes, and the number of substeps that a longer step is subdivided into. */

import { SceneError } from '../../errors.ts';
import { pow, square as squareOf } from '../../math/rounded/index.ts';
import type { Scene } from '../../scene/types.ts';
import type { ExplicitBody } from './explicitBody.ts';
import type { ExplicitWork } from './explicitWork.ts';
import type { System } from './welds.ts';

/**
 * Longest step: that of the rods alone, and of bodies on the half edges that hold them, 0.7·2/ω with ω² = Σk/I. Both
 * together, since a light body and its neighbours move as one.
 */
export function findStableStep(
  system: System,
  works: readonly ExplicitWork[],
  bodies: readonly ExplicitBody[],
): number {
  let rods = Infinity;
  for (const work of works) rods = Math.min(rods, work.stableStep);
  const frequency = new Float64Array(bodies.length);
  for (const { der, ties } of system.members) {
    const { rod } = der;
    let compliance = 0;
    for (let j = 0; j < der.edgeCount; j++) compliance += rod.edgeLengthRest[j] / Math.max(rod.halfGJ[2 * j], 1e-300);
    for (const { body, node, held, lever } of ties) {
      const { moments, body: whole } = bodies[body];
      const arm2 = lever[0] * lever[0] + lever[1] * lever[1] + lever[2] * lever[2];
      for (const j of [node - 1, node]) {
        if (j < 0 || j >= der.edgeCount) continue;
        const l = rod.edgeLengthRest[j];
        const EI = Math.max(rod.halfEI1[2 * j], rod.halfEI2[2 * j], rod.halfEI1[2 * j + 1], rod.halfEI2[2 * j + 1]);
        const shear = (8 * EI) / pow(l, 3);
        const turning = (held >= 0 ? (2 * EI) / l + 1 / compliance : 0) + shear * arm2;
        if (moments[0] > 0) frequency[body] += turning / moments[0];
        frequency[body] += shear / whole.mass;
      }
    }
  }
  let sum = 1 / (rods * rods);
  for (const square of frequency) sum = Math.max(sum, 1 / (rods * rods) + square / squareOf(1.4));
  return 1 / Math.sqrt(sum);
}

/** Maximum number of substeps per step: beyond it a run would take too long. */
const MOST_SUBSTEPS = 1e5;

/** Number of substeps of a step of length dt; undefined if there are too many. */
export function countSubsteps(dt: number, stableStep: number): number | undefined {
  const substeps = Math.max(1, Math.ceil(dt / stableStep - 1e-9));
  return substeps <= MOST_SUBSTEPS ? substeps : undefined;
}

/** Error text: why a step of length dt is rejected. */
export function tooManySubsteps(dt: number, stableStep: number): string {
  const substeps = (dt / stableStep).toPrecision(2);
  return `an explicit scheme would split a step of ${dt} s into ${substeps} substeps of ${stableStep.toPrecision(2)} s; use tr-bdf2, or a softer or coarser rod`;
}

/** Rejects a scene whose steps would take too long. */
export function refuseShortSteps(scene: Scene, rod: string, stableStep: number): void {
  const step = scene.time?.step;
  if (step === undefined || countSubsteps(step, stableStep) !== undefined) return;
  throw new SceneError(['solver', 'der', 'integrator'], `rod '${rod}': ${tooManySubsteps(step, stableStep)}`);
}
