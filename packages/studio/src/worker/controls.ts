/** The quantities of a scene that matter most: those that its case names, else those that most scenes have. */
import type { Case } from '@tendril-sim/cases';
import type { Scene } from '@tendril-sim/core';
import type { Control } from '../protocol.ts';

const limit = 3;
/** Rods that one slider changes together. */
const mostAlike = 64;

const valueAt = (scene: unknown, path: Control['path']): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], scene);

/** `written`: the scene as it is in its text, with its weaves; the rods that are made of strands and weaves are in `scene` alone. */
export function controlsOf(subject: Case | undefined, scene: Scene, written: unknown): readonly Control[] {
  const named = (subject?.controls ?? []).flatMap(({ threshold, factor = 1, ...control }): Control[] => {
    const numberAt = (at: Control['path']): unknown => valueAt(scene, at) ?? valueAt(written, at);
    const value = numberAt(control.path);
    if (typeof value !== 'number') return [];
    // places that were set apart by hand are no one quantity any more
    if (control.also?.some((at) => numberAt(at) !== value)) return [];
    const found = threshold?.(scene);
    return [{ ...control, factor, value, ...(found && Number.isFinite(found.at) && { threshold: found }) }];
  });
  return [...named, ...common(scene, named, written)].slice(0, limit);
}

interface Candidate {
  readonly path: Control['path'];
  readonly label: string;
  readonly symbol: string;
  readonly unit?: string;
}

/** In the order in which they are offered. */
function candidates(scene: Scene): Candidate[] {
  const { rods, materials = {}, sections = {} } = scene;
  const [rod] = rods;
  const sectionPath = typeof rod?.section === 'string' ? ['sections', rod.section] : ['rods', 0, 'section'];
  const materialPath = typeof rod?.material === 'string' ? ['materials', rod.material] : ['rods', 0, 'material'];
  const isOne = (own: unknown, shared: object): boolean =>
    rods.length <= mostAlike || (typeof own === 'string' && own in shared);
  return [
    ...(isOne(rod?.material, materials)
      ? [{ path: [...materialPath, 'E'], label: "Young's modulus", symbol: 'E', unit: 'Pa' }]
      : []),
    ...(isOne(rod?.section, sections)
      ? [
          { path: [...sectionPath, 'EI1'], label: 'Bending stiffness', symbol: 'EI', unit: 'N·m²' },
          { path: [...sectionPath, 'radius'], label: 'Radius', symbol: 'r', unit: 'm' },
        ]
      : []),
    { path: ['contact', 'friction'], label: 'Friction', symbol: 'µ' },
    { path: ['gravity', 2], label: 'Gravity', symbol: 'g', unit: 'm/s²' },
    ...(isOne(rod?.section, sections)
      ? [{ path: [...sectionPath, 'damping', 'mass'], label: 'Damping', symbol: 'c', unit: '1/s' }]
      : []),
    ...(isOne(rod?.material, materials)
      ? [{ path: [...materialPath, 'damping', 'mass'], label: 'Damping', symbol: 'c', unit: '1/s' }]
      : []),
  ];
}

/** The same place in all other rods; undefined if not all have the same value there: then it is no one quantity. */
function placesAlike(scene: Scene, written: unknown, path: Control['path']): Control['path'][] | undefined {
  if (path[0] !== 'rods') return [];
  const rest = path.slice(2);
  const others = scene.rods.slice(1).map((_, r) => ['rods', r + 1, ...rest]);
  const value = valueAt(scene, path);
  const isAlike = [path, ...others].every((at) => valueAt(scene, at) === value && valueAt(written, at) !== undefined);
  return isAlike ? others : undefined;
}

function common(scene: Scene, known: readonly Control[], written: unknown): Control[] {
  const taken = new Set(known.map(({ path }) => path.join('.')));
  return candidates(scene).flatMap((candidate): Control[] => {
    const value = valueAt(scene, candidate.path);
    if (typeof value !== 'number' || value === 0 || taken.has(candidate.path.join('.'))) return [];
    const also = placesAlike(scene, written, candidate.path);
    if (!also) return [];
    const factor = value < 0 ? -1 : 1;
    const size = factor * value;
    const ends =
      candidate.symbol === 'µ' || candidate.symbol === 'g'
        ? { low: 0, high: 3 * size }
        : { low: size / 10, high: size * 10 };
    return [{ ...candidate, ...(also.length > 0 && { also }), ...ends, factor, value }];
  });
}
