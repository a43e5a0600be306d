/** Mass, damping and typical stiffness of every unknown and edge of a rod. */
import { pow } from '../../math/rounded/index.ts';
import type { Allocate } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { DerOptions } from './options.ts';
import { type DerRod, unknownCount } from './rod.ts';

export type ScaleNames = 'mass' | 'stiffnessScale' | 'softScale' | 'massDamping' | 'edgeDamping' | 'edgeStiffness';

export function createScales(rod: Rod, options: DerOptions, allocate: Allocate): Pick<DerRod, ScaleNames> {
  const size = unknownCount(rod);
  const scales = {
    mass: allocate(size),
    stiffnessScale: allocate(size),
    softScale: allocate(size),
    edgeStiffness: allocate(rod.edgeCount),
    massDamping: allocate(size),
    edgeDamping: allocate(rod.edgeCount),
  };
  writeScales(scales, rod, options);
  return scales;
}

/** The same of a rod whose arrays have changed. */
export function writeScales(scales: Pick<DerRod, ScaleNames>, rod: Rod, options: DerOptions): void {
  const { nodeCount, edgeCount } = rod;
  const { mass, stiffnessScale, softScale, edgeStiffness, massDamping, edgeDamping } = scales;
  stiffnessScale.fill(0);
  softScale.fill(Infinity);
  const dynamicTwist = (options.twist ?? 'dynamic') === 'dynamic';
  for (let i = 0; i < nodeCount; i++) {
    for (let d = 4 * i; d < 4 * i + 3; d++) {
      mass[d] = rod.nodeMass[i];
      massDamping[d] = rod.nodeDamping[i];
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    const l = rod.edgeLengthRest[j];
    const bend = Math.max(rod.halfEI1[2 * j], rod.halfEI2[2 * j], rod.halfEI1[2 * j + 1], rod.halfEI2[2 * j + 1]);
    const twist = Math.max(rod.halfGJ[2 * j], rod.halfGJ[2 * j + 1]);
    if (dynamicTwist) mass[4 * j + 3] = rod.edgeInertia[j];
    const next = rod.closed ? (j + 1) % nodeCount : j + 1;
    massDamping[4 * j + 3] = 0.5 * (rod.nodeDamping[j] + rod.nodeDamping[next]);
    edgeDamping[j] = 0.5 * (rod.halfDamping[2 * j] + rod.halfDamping[2 * j + 1]);
    const soft = Math.min(rod.halfEI1[2 * j], rod.halfEI2[2 * j], rod.halfEI1[2 * j + 1], rod.halfEI2[2 * j + 1]);
    softScale[4 * j + 3] = Math.min(twist, soft) / l;
    const softest = soft / pow(l, 3);
    const stiffest = bend / pow(l, 3);
    for (let k = 0; k < 3; k++) {
      softScale[4 * j + k] = Math.min(softScale[4 * j + k], softest);
      softScale[4 * next + k] = Math.min(softScale[4 * next + k], softest);
      stiffnessScale[4 * j + k] = Math.max(stiffnessScale[4 * j + k], stiffest);
      stiffnessScale[4 * next + k] = Math.max(stiffnessScale[4 * next + k], stiffest);
    }
    stiffnessScale[4 * j + 3] = Math.max(twist, bend) / l;
    edgeStiffness[j] = rod.edgeEA[j] / l;
  }
}
