/** Outlines of sections that are not round, for drawing: half widths along d1 and d2 of every edge. */
import type { Rod, Scene } from '@tendril-sim/core';

/** Outline of a section that is not round. */
export interface SectionOutline {
  /** Form of the outline. */
  readonly shape: 'ellipse' | 'rectangle';
  /** Half width along d1 [m], one per edge. */
  readonly edgeHalfWidth: readonly number[];
  /** Half width along d2 [m], one per edge. */
  readonly edgeHalfHeight: readonly number[];
}

type Bent = Pick<Rod, 'id' | 'edgeCount' | 'edgeRadius' | 'halfEI1' | 'halfEI2'>;

/**
 * The outline of a rod's section; undefined if it is round. A section given by two bending stiffnesses and a radius is drawn as the ellipse with their
 * ratio and the radius' area.
 */
export function sectionOutline(scene: Scene, rod: Bent): SectionOutline | undefined {
  const written = scene.rods.find(({ id }) => id === rod.id)?.section;
  const spec = typeof written === 'string' ? scene.sections?.[written] : written;
  const isFlat = spec?.type === 'stiffness' && spec.EI2 !== undefined && spec.radius !== undefined;
  if (spec?.type !== 'ellipse' && spec?.type !== 'rectangle' && !isFlat) return undefined;
  // the radius is that of the circle of equal area; a rectangle has 4/π times the area of the ellipse within it
  const share = spec?.type === 'rectangle' ? Math.PI / 4 : 1;
  const sides = Array.from({ length: rod.edgeCount }, (_, j) => {
    // both second moments are of one material: (width/height)² is their ratio
    const about = (half: Float64Array): number => half[2 * j] + half[2 * j + 1];
    const aspect = Math.sqrt(about(rod.halfEI2) / about(rod.halfEI1));
    const radius = rod.edgeRadius[j] * Math.sqrt(share);
    return { width: radius * Math.sqrt(aspect), height: radius / Math.sqrt(aspect) };
  });
  return {
    shape: spec?.type === 'rectangle' ? 'rectangle' : 'ellipse',
    edgeHalfWidth: sides.map(({ width }) => width),
    edgeHalfHeight: sides.map(({ height }) => height),
  };
}
