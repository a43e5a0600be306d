/** The quantities of a scene that matter most: those that its case names, else those that most scenes have. */
import type { Scene } from '@tendril-sim/core';
import type { Control } from '../protocol.ts';
import { fetchCase } from './caseFiles.ts';

const limit = 3;

const valueAt = (scene: Scene, path: Control['path']): unknown =>
  path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], scene);

export async function controlsOf(caseId: string | undefined, scene: Scene): Promise<readonly Control[]> {
  const subject = caseId === undefined ? undefined : await fetchCase(caseId);
  const named = (subject?.controls ?? []).flatMap(({ threshold, factor = 1, ...control }): Control[] => {
    const value = valueAt(scene, control.path);
    if (typeof value !== 'number') return [];
    const found = threshold?.(scene);
    return [{ ...control, factor, value, ...(found && Number.isFinite(found.at) && { threshold: found }) }];
  });
  return [...named, ...common(scene, named)].slice(0, limit);
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
  // a section of its own in each of many rods is no one quantity
  const isOne = (own: unknown, shared: object): boolean =>
    rods.length === 1 || (typeof own === 'string' && own in shared);
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

function common(scene: Scene, known: readonly Control[]): Control[] {
  const taken = new Set(known.map(({ path }) => path.join('.')));
  return candidates(scene).flatMap((candidate): Control[] => {
    const value = valueAt(scene, candidate.path);
    if (typeof value !== 'number' || value === 0 || taken.has(candidate.path.join('.'))) return [];
    const factor = value < 0 ? -1 : 1;
    const size = factor * value;
    const ends =
      candidate.symbol === 'µ' || candidate.symbol === 'g'
        ? { low: 0, high: 3 * size }
        : { low: size / 10, high: size * 10 };
    return [{ ...candidate, ...ends, factor, value }];
  });
}
