/** What is said about contact before a run: errors that name the field and the remedy, and warnings. */
import { SceneError } from '../errors.ts';
import type { Bundle } from '../model.ts';
import type { Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';
import type { Collider } from './collider.ts';
import type { ContactSet } from './set.ts';
import type { Place } from './sides.ts';

/** What overlaps at the start is pushed apart gently; that it does is worth telling. */
export function warnOverlaps(
  set: ContactSet,
  rods: readonly Rod[],
  colliders: readonly Collider[],
  warnings: string[],
): void {
  const deepest = new Map<string, number>();
  for (let c = 0; c < set.count; c++) {
    const depth = -set.gap[c] / set.size[c];
    if (depth < 0.05) continue;
    const collider = set.collider[c];
    const other = collider >= 0 ? `collider '${colliders[collider].id}'` : `rod '${rods[set.rodB[c]].id}'`;
    const pair = `rod '${rods[set.rodA[c]].id}' and ${other}`;
    deepest.set(pair, Math.max(deepest.get(pair) ?? 0, depth));
  }
  const all = [...deepest].sort(([, a], [, b]) => b - a);
  for (const [pair, depth] of all.slice(0, 3)) {
    const by = depth > 3 ? `${Math.round(depth)} times` : `${Math.round(100 * depth)} % of`;
    warnings.push(`${pair} overlap at the start, by ${by} the radius; they are pushed apart gently`);
  }
  if (all.length > 3) warnings.push(`${all.length - 3} more pairs overlap at the start`);
}

/** Fields that need or exclude each other. */
export function checkSpec({ contact: spec, bodies = [] }: Scene): void {
  if (!spec) return;
  const refuseField = (field: string, message: string): void => {
    throw new SceneError(['contact', field], message);
  };
  const { solver = 'admm', between = 'pairs' } = spec;
  if (solver === 'repulsion' && !spec.repulsion)
    refuseField('repulsion', "solver: repulsion needs 'repulsion' with a stiffness and a reach");
  if (solver !== 'repulsion' && spec.repulsion)
    refuseField('repulsion', `it has no effect with solver: ${solver}; remove it, or use solver: repulsion`);
  if (solver === 'repulsion' && spec.friction !== undefined)
    refuseField('friction', 'repulsion has no friction; remove it, or use another solver');
  // one that goes on a path is moved by nothing else
  if (solver === 'impulses' && bodies.some(({ path }) => !path))
    refuseField('solver', 'impulses do not know bodies that move freely; use admm');
  if (between === 'continuum' && !spec.continuum)
    refuseField('continuum', "between: continuum needs 'continuum' with the size of a cell");
  if (between !== 'continuum' && spec.continuum)
    refuseField('continuum', `it has no effect with between: ${between}; remove it, or use between: continuum`);
  if (between !== 'pairs' && (spec.self !== undefined || spec.radius !== undefined))
    refuseField(spec.self !== undefined ? 'self' : 'radius', `it has no effect with between: ${between}; remove it`);
  if (!((spec.iterations ?? 1) >= 1 && Number.isInteger(spec.iterations ?? 1)))
    refuseField('iterations', `${spec.iterations} iterations; it must be a whole number of at least 1`);
  if (!((spec.tolerance ?? 1) > 0)) refuseField('tolerance', `the tolerance is ${spec.tolerance}; it must be positive`);
  if (!((spec.radius ?? 1) > 0)) refuseField('radius', `the radius is ${spec.radius} m; it must be positive`);
}

/** What cannot be done is said before the run. */
export function refuseUntouchable(
  scene: Scene,
  rods: readonly Rod[],
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  colliders: readonly Collider[],
  pairs: boolean,
): void {
  rods.forEach((rod, r) => {
    const bundle = bundles[placeOfRod[r].bundle];
    const collider = colliders.findIndex(({ acts }) => acts[r]);
    if (!pairs && collider < 0) return;
    if (!bundle.contact) {
      const where = collider >= 0 ? ['colliders', collider] : ['contact'];
      const remedy =
        "use der with an implicit integrator, helix, strand or fiber without stiffness damping, or leave the rod out with 'rods' of the collider";
      throw new SceneError(
        where,
        `rod '${rod.id}' of model '${bundle.model}' cannot touch anything with these options; ${remedy}`,
      );
    }
    if (pairs && !scene.contact?.radius && rod.edgeRadius.some((radius) => !(radius > 0)))
      throw new SceneError(
        ['contact'],
        `rod '${rod.id}' has no thickness to touch with; give its section a radius, or set contact.radius`,
      );
  });
}
