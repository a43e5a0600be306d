/** Controls that several cases have, and numbers of a scene from which their thresholds are computed. */
import type { Scene } from '@tendril-sim/core';
import type { CaseControl, ScenePath } from './case.ts';

const valueAt = (scene: Scene, path: ScenePath): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], scene);

/** A number of a scene; NaN where the scene does not give it as a number. */
export function numberAt(scene: Scene, path: ScenePath): number {
  const value = valueAt(scene, path);
  return typeof value === 'number' ? value : Number.NaN;
}

/** A stiffness or the mass per length of the first rod; NaN where its section gives dimensions instead. */
export function sectionNumber(scene: Scene, name: 'EI1' | 'EI2' | 'GJ' | 'mass'): number {
  return numberAt(scene, ['rods', 0, 'section', name]);
}

/** A component of gravity [m/s²], 0 to 2. */
export function gravityAlong(scene: Scene, axis: number): number {
  return numberAt(scene, ['gravity', axis]);
}

/** Coefficient of friction of the first collider. */
export function colliderFriction(scene: Scene): number {
  return numberAt(scene, ['colliders', 0, 'friction']);
}

/** The same place in the first `count` rods, which one slider changes together. */
export function inEveryRod(count: number, place: ScenePath): Pick<CaseControl, 'path' | 'also'> {
  const [path, ...also] = Array.from({ length: count }, (_, r) => ['rods', r, ...place]);
  return also.length > 0 ? { path, also } : { path };
}

/** Ends of a slider, and how many rods it changes; default 1. */
interface Ends {
  readonly low: number;
  readonly high: number;
  readonly rods?: number;
}

/** Sliders that begin at zero. */
interface End {
  readonly high: number;
  readonly rods?: number;
}

/** EI1 of a section that gives stiffnesses. */
export function bendingStiffness({ rods = 1, ...ends }: Ends): CaseControl {
  const place = inEveryRod(rods, ['section', 'EI1']);
  return { ...place, label: 'Bending stiffness', symbol: 'EI', unit: 'N·m²', ...ends };
}

/** GJ of a section that gives stiffnesses. */
export function twistingStiffness({ rods = 1, ...ends }: Ends): CaseControl {
  const place = inEveryRod(rods, ['section', 'GJ']);
  return { ...place, label: 'Twisting stiffness', symbol: 'GJ', unit: 'N·m²', ...ends };
}

/** Mass per length of a section that gives stiffnesses. */
export function massPerLength({ rods = 1, ...ends }: Ends): CaseControl {
  return { ...inEveryRod(rods, ['section', 'mass']), label: 'Mass per length', symbol: 'ρA', unit: 'kg/m', ...ends };
}

/** Damping in proportion to mass, of a section that gives stiffnesses. */
export function massDamping({ rods = 1, high }: End): CaseControl {
  return {
    ...inEveryRod(rods, ['section', 'damping', 'mass']),
    label: 'Damping',
    symbol: 'c',
    unit: '1/s',
    low: 0,
    high,
  };
}

/** E of a material that stands in the rod. */
export function youngsModulus({ rods = 1, ...ends }: Ends): CaseControl {
  return { ...inEveryRod(rods, ['material', 'E']), label: "Young's modulus", symbol: 'E', unit: 'Pa', ...ends };
}

/** Gravity against an axis; default z. */
export function gravity({ axis = 2, high }: { readonly axis?: number; readonly high: number }): CaseControl {
  return { path: ['gravity', axis], label: 'Gravity', symbol: 'g', unit: 'm/s²', low: 0, high, factor: -1 };
}

/** Time step of the run. */
export function timeStep(ends: { readonly low: number; readonly high: number }): CaseControl {
  return { path: ['time', 'step'], label: 'Time step', symbol: 'Δt', unit: 's', ...ends };
}

/** Mean wind of the first field along x. */
export function wind({ high }: { readonly high: number }): CaseControl {
  return { path: ['fields', 0, 'wind', 'mean', 0], label: 'Wind', symbol: 'v', unit: 'm/s', low: 0, high };
}

/** Turbulence of the first field. */
export function turbulence({ high }: { readonly high: number }): CaseControl {
  const path = ['fields', 0, 'wind', 'turbulence', 'intensity'];
  return { path, label: 'Turbulence', symbol: 'σ', unit: 'm/s', low: 0, high };
}
