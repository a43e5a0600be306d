/** Numbers of a scene from which thresholds of controls are computed; NaN where the scene does not give them as numbers. */
import type { Scene } from '@tendril-sim/core';

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

/** A stiffness or the mass per length of the first rod. */
export function sectionNumber({ rods: [{ section }] }: Scene, name: 'EI1' | 'GJ' | 'mass'): number {
  return typeof section === 'object' && section.type === 'stiffness' ? numberOf(section[name]) : Number.NaN;
}

/** A component of gravity [m/s²], 0 to 2. */
export function gravityAlong({ gravity }: Scene, axis: number): number {
  return numberOf((gravity as readonly unknown[] | undefined)?.[axis]);
}

/** Coefficient of friction of the first collider. */
export function colliderFriction({ colliders = [] }: Scene): number {
  return numberOf(colliders[0]?.friction);
}
