/** Rejects scenes that the model does not support, before the run. */

import { SceneError } from '../../errors.ts';
import type { Coupling } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { stableStep } from './explicit.ts';
import type { CosseratOptions } from './options.ts';
import type { CosseratRod, SectionRule } from './rod.ts';

export function readSection(options: CosseratOptions, scheme: string): SectionRule {
  const section = options.section ?? (scheme === 'verlet' ? 'inflated' : 'physical');
  const inflated = section === 'inflated';
  const at = ['solver', 'cosserat'];
  for (const field of ['gyration', 'axialGyration'] as const) {
    if (options[field] !== undefined && !inflated)
      throw new SceneError([...at, field], `'${field}' has no effect on a physical section; add section: inflated`);
    if (options[field] !== undefined && !(options[field] > 0))
      throw new SceneError([...at, field], `the radius of gyration is ${options[field]} m; it must be positive`);
  }
  if (options.shearFactor !== undefined && inflated)
    throw new SceneError(
      [...at, 'shearFactor'],
      "'shearFactor' has no effect on an inflated section; set 'gyration', or use section: physical",
    );
  return {
    inflated,
    gyration: options.gyration,
    axialGyration: options.axialGyration,
    shearFactor: options.shearFactor ?? 1,
  };
}

/** Throws SceneError for features that the model does not support. */
export function refuse(
  rods: readonly Rod[],
  scene: Scene,
  coupling: Coupling,
  scheme: string,
  rule: SectionRule,
): void {
  if (coupling.welds.length > 0)
    throw new SceneError(
      ['welds'],
      "the model 'cosserat' does not move bodies; use model: der for rods that are welded",
    );
  const place = ['solver', 'cosserat', 'integrator'];
  const rigid = rule.inflated ? undefined : rods.find((rod) => rod.edgeEA.some((EA) => EA === Infinity));
  if (rigid && (scheme === 'midpoint' || scheme === 'verlet')) {
    throw new SceneError(
      place,
      `${scheme} needs rods that stretch, and rod '${rigid.id}' is inextensible; give it EA, set section: inflated, or use tr-bdf2`,
    );
  }
  if (scheme !== 'verlet') return;
  rods.forEach((rod, k) => {
    if (rod.animation)
      throw new SceneError(
        place,
        `verlet supports no properties that change in time, and rod '${rod.id}' has 'animate'; use tr-bdf2`,
      );
    if (rod.halfDamping.some((beta) => beta > 0)) {
      throw new SceneError(
        place,
        `verlet has no stiffness damping, and rod '${rod.id}' asks for it; use tr-bdf2, or mass damping alone`,
      );
    }
    if (!rule.inflated && rod.edgeInertia.some((inertia) => !(inertia > 0))) {
      throw new SceneError(
        [
          'rods',
          scene.rods.findIndex(({ id }) => id === rod.id) < 0 ? k : scene.rods.findIndex(({ id }) => id === rod.id),
        ],
        `verlet needs rotary inertia, and rod '${rod.id}' has none; give its section 'inertia', or set section: inflated`,
      );
    }
  });
}

/** Maximum number of substeps per step: beyond it a run would take too long. */
const MOST_SUBSTEPS = 1e6;

export function readStableStep(cos: CosseratRod, scene: Scene): number {
  const stable = stableStep(cos);
  const step = scene.time?.step ?? stable;
  if (step / stable > MOST_SUBSTEPS) {
    throw new SceneError(
      ['solver', 'cosserat'],
      `verlet would split a step of ${step} s into ${Math.ceil(step / stable)} substeps of ${stable.toPrecision(2)} s for rod '${cos.rod.id}'; set section: inflated with a larger gyration, or use tr-bdf2`,
    );
  }
  return stable;
}
