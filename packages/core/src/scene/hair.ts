/**
 * Hair by name: section, material and natural curl. hairSources.ts says where the numbers come from: no simulation needs that, so a page does not load it.
 *
 * Most types are named by their curl. Types named by a group use sections that were measured for that group, under the names of [Lou2013]; individual
 * heads differ. How tightly a type curls is our estimate throughout: measured classes of curliness are diameters of a curl that lies on a plate, and a diameter
 * does not determine the pitch.
 *
 * E and G are independent numbers: hair is not an isotropic solid, and G from a Poisson ratio would be too large.
 */

import { SceneError } from '../errors.ts';
import { cos, sin } from '../math/rounded/index.ts';
import type { CurlSpec, HairType, MaterialSpec, RodSpec, SectionSpec } from './types.ts';
import type { Path } from './varying.ts';

/** Section and curl of a type of hair. */
export interface HairNumbers {
  /** Area of the section [m²]. */
  readonly area: number;
  /** Largest over smallest diameter of the section. */
  readonly ellipticity: number;
  /** Absent for straight hair. */
  readonly curl?: CurlSpec;
}

/** Material of all hair types. */
export const hairMaterial: MaterialSpec = { E: 3.58e9, G: 1.07e9, density: 1300 };

/** The types of hair by name; hairSources.ts has the source of each number. */
export const hairNumbers: Readonly<Record<HairType, HairNumbers>> = {
  straight: { area: 4079e-12, ellipticity: 1.29 },
  wavy: { area: 4079e-12, ellipticity: 1.41, curl: { radius: 0.01, pitch: 0.08 } },
  curly: { area: 4079e-12, ellipticity: 1.66, curl: { radius: 0.01, pitch: 0.02 } },
  coily: { area: 4079e-12, ellipticity: 1.88, curl: { radius: 0.003, pitch: 0.004 } },
  'smooth-asian': { area: 5063e-12, ellipticity: 1.29 },
  'wavy-caucasian': { area: 4079e-12, ellipticity: 1.41, curl: { radius: 0.01, pitch: 0.08 } },
  'curly-caucasian': { area: 4079e-12, ellipticity: 1.41, curl: { radius: 0.01, pitch: 0.02 } },
  'tightly-curled-african': { area: 4210e-12, ellipticity: 1.88, curl: { radius: 0.003, pitch: 0.004 } },
};

/** Semi-axes of the ellipse with that area and ratio of diameters: the longer along d1, so that it bends easily about d1. */
export function hairSection({ area, ellipticity }: Pick<HairNumbers, 'area' | 'ellipticity'>): SectionSpec {
  return {
    type: 'ellipse',
    a: Math.sqrt((area * ellipticity) / Math.PI),
    b: Math.sqrt(area / (Math.PI * ellipticity)),
  };
}

/** The rod with section, material and natural shape of its hair type, unless it specifies them itself. */
export function applyHair(spec: RodSpec, path: Path): RodSpec {
  if (spec.hair === undefined) return spec;
  if (!Object.hasOwn(hairNumbers, spec.hair))
    throw new SceneError(
      [...path, 'hair'],
      `unknown hair type '${spec.hair}'; known: ${Object.keys(hairNumbers).join(', ')}`,
    );
  const preset = hairNumbers[spec.hair];
  return {
    ...spec,
    section: spec.section ?? hairSection(preset),
    material: spec.material ?? hairMaterial,
    natural: spec.natural ?? (preset.curl ? { curl: preset.curl } : 'straight'),
  };
}

/**
 * Curvature and twist rate (u1, u2, u3) [1/m] of a helix with that radius and pitch, which bends about d1 (turned by `phase`).
 *
 * NOTE: [Lou2013] prints a torsion without a unit and the curvature of zero pitch; both would make a closed ring of an open curl.
 */
export function curvatureOfCurl(
  radius: number,
  pitch: number,
  handedness: 'right' | 'left' = 'right',
  phase = 0,
): [number, number, number] {
  const rise = pitch / (2 * Math.PI);
  const size = radius * radius + rise * rise;
  const bend = radius / size;
  return [bend * cos(phase), bend * sin(phase), ((handedness === 'left' ? -1 : 1) * rise) / size];
}
