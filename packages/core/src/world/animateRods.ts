/** Updates the properties of rods that change in time. */
import type { Bundle } from '../model.ts';
import type { Rod } from '../scene/compiled.ts';

/** The parts of a world that have animated properties. */
export interface AnimatedWorld {
  readonly rods: readonly Rod[];
  readonly bundles: readonly Bundle[];
  readonly isAnimated: boolean;
}

/** Sets animated properties of rods to their values at time t. */
export function animateRods({ rods, bundles, isAnimated }: AnimatedWorld, t: number): void {
  if (!isAnimated) return;
  for (const { animation } of rods) animation?.moveTo(t);
  for (const bundle of bundles) bundle.animate?.(t);
}
