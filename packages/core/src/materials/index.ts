/** Constitutive laws from the scene, checked. */
import { SceneError } from '../errors.ts';
import type { DahlSpec, ElastoplasticSpec, LawSpec, TableSpec, ViscoelasticSpec } from '../scene/materialTypes.ts';
import { createDahl } from './dahl.ts';
import { createElastoplastic } from './elastoplastic.ts';
import { createGrowth } from './growth.ts';
import type { SectionLaw } from './law.ts';
import { createTable } from './table.ts';
import { createViscoelastic } from './viscoelastic.ts';

export type { SectionLaw } from './law.ts';

const lawTypes: readonly LawSpec['type'][] = ['viscoelastic', 'elastoplastic', 'table', 'dahl', 'growth'];

type Path = readonly (string | number)[];

/** Creates the law of a rod. Throws SceneError, at `path`, for numbers that make no law. */
export function createLaw(spec: LawSpec, path: Path): SectionLaw {
  switch (spec.type) {
    case 'viscoelastic':
      checkTerms(spec, path);
      return createViscoelastic(spec);
    case 'elastoplastic':
      checkYield(spec, path);
      return createElastoplastic(spec);
    case 'table':
      checkTable(spec, path);
      return createTable(spec);
    case 'dahl':
      checkFriction(spec, path);
      return createDahl(spec);
    case 'growth':
      return createGrowth(spec, path);
    default:
      throw new SceneError(
        [...path, 'type'],
        `there is no law '${(spec as { type: string }).type}'; use ${lawTypes.join(', ')}, or remove 'law' for a linear elastic rod`,
      );
  }
}

function checkTerms({ terms }: ViscoelasticSpec, path: Path): void {
  if (!(terms?.length > 0))
    throw new SceneError(
      [...path, 'terms'],
      'a viscoelastic law needs at least one term, such as { ratio: 0.5, time: 1 }',
    );
  terms.forEach(({ ratio, time }, i) => {
    const at = [...path, 'terms', i];
    if (!(ratio > 0 && ratio < Infinity))
      throw new SceneError([...at, 'ratio'], `the ratio of stiffnesses is ${ratio}; it must be positive`);
    if (!(time > 0 && time < Infinity))
      throw new SceneError([...at, 'time'], `the relaxation time is ${time} s; it must be positive`);
  });
}

function checkYield({ yield: limits, hardening = 0, time = 0 }: ElastoplasticSpec, path: Path): void {
  checkMoments(limits, [...path, 'yield'], 'yield moment');
  if (!(hardening >= 0 && hardening < 1))
    throw new SceneError(
      [...path, 'hardening'],
      `hardening is ${hardening}; it is the stiffness beyond yield relative to the elastic one, from 0 to below 1`,
    );
  if (!(time >= 0 && time < Infinity))
    throw new SceneError([...path, 'time'], `the relaxation time is ${time} s; it must not be negative`);
}

/** Moments of bending, and perhaps of twist. */
function checkMoments(limits: DahlSpec['limit'] | undefined, path: Path, what: string): void {
  for (const name of ['bending', 'twist'] as const) {
    const limit = limits?.[name];
    if (name === 'twist' && limit === undefined) continue;
    if (!(limit !== undefined && limit > 0 && limit < Infinity))
      throw new SceneError([...path, name], `the ${what} of ${name} is ${limit} N m; it must be positive`);
  }
}

function checkFriction({ limit, stiffness }: DahlSpec, path: Path): void {
  checkMoments(limit, [...path, 'limit'], 'moment of friction');
  if (!(stiffness > 0 && stiffness < Infinity))
    throw new SceneError([...path, 'stiffness'], `the stiffness of friction is ${stiffness}; it must be positive`);
}

function checkTable({ moments }: TableSpec, path: Path): void {
  const at = [...path, 'moments'];
  if (!(moments?.length > 0))
    throw new SceneError(at, 'a table needs at least one point [curvature, moment], such as [10, 0.02]');
  moments.forEach(([curvature, moment], k) => {
    const before = k === 0 ? 0 : moments[k - 1][0];
    if (!(curvature > before && curvature < Infinity))
      throw new SceneError(
        [...at, k],
        `the curvature is ${curvature} 1/m after ${before} 1/m; curvatures must be positive and grow`,
      );
    if (!Number.isFinite(moment))
      throw new SceneError([...at, k], `the moment is ${moment} N m; it must be a finite number`);
  });
}
