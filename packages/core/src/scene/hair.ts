/**
 * Hair by name: section, material and natural curl, every number with its source.
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

/** Section and curl of a type of hair, with the source of each number. */
export interface HairPreset {
  /** Area of the section [m²], and its largest over its smallest diameter. */
  readonly area: number;
  /** Largest over smallest diameter of the section. */
  readonly ellipticity: number;
  /** Absent for straight hair. */
  readonly curl?: CurlSpec;
  /** Sources of the numbers; `estimate` marks our own. */
  readonly sources: { readonly area: string; readonly ellipticity: string; readonly curl: string };
}

/** Material of all hair types. */
export const hairMaterial: MaterialSpec = { E: 3.58e9, G: 1.07e9, density: 1300 };
/** Sources of the numbers of `hairMaterial`. */
export const hairMaterialSources: Readonly<Record<'E' | 'G' | 'density', string>> = {
  E: '[Michels2015]; 3.8 to 3.9 GPa in Robbins, Chemical and Physical Behavior of Human Hair',
  G: '[Michels2015]; 0.89 GPa in Robbins',
  density: 'default of the BASim family of simulators; [Michels2015] has 31.3 µg/cm at 60 µm, which is 1110 kg/m³',
};

const tri = (group: string, n: number): string =>
  `TRI Princeton, typical physical characteristics of hair: ${group}, n = ${n}`;
const asian = tri('Asian', 173);
const caucasian = tri('Caucasian', 171);
const african = tri('African American', 251);
const middle = `estimate: as ${caucasian}`;
const likely = (source: string): string => `estimate: where this curl is common, ${source}`;
const kamath = 'African: 1.86 to 1.89, Kamath, Syed (as quoted by Syed 2015)';
const guess = 'estimate';

/** The types of hair by name. */
export const hairTypes: Readonly<Record<HairType, HairPreset>> = {
  straight: {
    area: 4079e-12,
    ellipticity: 1.29,
    sources: { area: middle, ellipticity: likely(asian), curl: guess },
  },
  wavy: {
    area: 4079e-12,
    ellipticity: 1.41,
    curl: { radius: 0.01, pitch: 0.08 },
    sources: { area: middle, ellipticity: likely(caucasian), curl: guess },
  },
  curly: {
    area: 4079e-12,
    ellipticity: 1.66,
    curl: { radius: 0.01, pitch: 0.02 },
    sources: { area: middle, ellipticity: likely(african), curl: guess },
  },
  coily: {
    area: 4079e-12,
    ellipticity: 1.88,
    curl: { radius: 0.003, pitch: 0.004 },
    sources: { area: middle, ellipticity: likely(kamath), curl: guess },
  },
  'smooth-asian': {
    area: 5063e-12,
    ellipticity: 1.29,
    sources: { area: asian, ellipticity: asian, curl: guess },
  },
  'wavy-caucasian': {
    area: 4079e-12,
    ellipticity: 1.41,
    curl: { radius: 0.01, pitch: 0.08 },
    sources: { area: caucasian, ellipticity: caucasian, curl: guess },
  },
  'curly-caucasian': {
    area: 4079e-12,
    ellipticity: 1.41,
    curl: { radius: 0.01, pitch: 0.02 },
    sources: { area: caucasian, ellipticity: caucasian, curl: guess },
  },
  'tightly-curled-african': {
    area: 4210e-12,
    ellipticity: 1.88,
    curl: { radius: 0.003, pitch: 0.004 },
    sources: { area: `estimate: as ${african}`, ellipticity: kamath, curl: guess },
  },
};

/** Semi-axes of the ellipse with that area and ratio of diameters: the longer along d1, so that it bends easily about d1. */
export function hairSection({ area, ellipticity }: Pick<HairPreset, 'area' | 'ellipticity'>): SectionSpec {
  return {
    type: 'ellipse',
    a: Math.sqrt((area * ellipticity) / Math.PI),
    b: Math.sqrt(area / (Math.PI * ellipticity)),
  };
}

/** The rod with section, material and natural shape of its hair type, unless it specifies them itself. */
export function applyHair(spec: RodSpec, path: Path): RodSpec {
  if (spec.hair === undefined) return spec;
  if (!Object.hasOwn(hairTypes, spec.hair))
    throw new SceneError(
      [...path, 'hair'],
      `unknown hair type '${spec.hair}'; known: ${Object.keys(hairTypes).join(', ')}`,
    );
  const preset = hairTypes[spec.hair];
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
