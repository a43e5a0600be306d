/** Checks of contact before a run: errors that name the field and the remedy, and warnings. */
import { SceneError } from '../errors.ts';
import type { Bundle } from '../model.ts';
import type { Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';
import type { BundlePlace } from './bundlePlace.ts';
import type { ContactSet } from './contactSet.ts';
import type { Collider } from './shapes/collider.ts';

const NO_FRICTION = 'repulsion has no friction; remove it, or use another solver';

/** Warns about overlaps at the start, which the solver pushes apart gently. */
export function warnOverlaps(
  set: ContactSet,
  rods: readonly Rod[],
  colliders: readonly Collider[],
  warnings: string[],
): void {
  const deepest = new Map<string, { readonly depth: number; readonly where: string }>();
  for (let c = 0; c < set.count; c++) {
    const depth = -set.gap[c] / set.size[c];
    if (depth < 0.05) continue;
    const collider = set.collider[c];
    const rod = rods[set.rodA[c]];
    const itself = collider < 0 && set.rodB[c] === set.rodA[c];
    const other = collider >= 0 ? `collider '${colliders[collider].id}'` : `rod '${rods[set.rodB[c]].id}'`;
    const pair = itself ? `rod '${rod.id}' overlaps itself` : `rod '${rod.id}' and ${other} overlap`;
    if (depth <= (deepest.get(pair)?.depth ?? 0)) continue;
    const arc = (edge: number, weight: number): string =>
      `${Number((rod.nodeArc[edge] + weight * rod.edgeLengthRest[edge]).toPrecision(3))} m`;
    const where = itself
      ? `, most at s = ${arc(set.edgeA[c], set.weightA[c])} and ${arc(set.edgeB[c], set.weightB[c])}`
      : '';
    deepest.set(pair, { depth, where });
  }
  const all = [...deepest].sort(([, a], [, b]) => b.depth - a.depth);
  for (const [pair, { depth, where }] of all.slice(0, 3)) {
    const by = depth > 3 ? `${Math.round(depth)} times` : `${Math.round(100 * depth)} % of`;
    const apart = where === '' ? 'they are' : 'the places are';
    warnings.push(`${pair} at the start, by ${by} the radius${where}; ${apart} pushed apart gently`);
  }
  if (all.length > 3) warnings.push(`${all.length - 3} more pairs overlap at the start`);
}

/** Warns that colliders do not collide with colliders: a ball on a rod's end falls through the ground. */
export function warnUnmet(
  colliders: readonly Collider[],
  bodies: readonly { readonly body: { readonly id: string } }[],
  warnings: string[],
): void {
  // others touch nothing: they are drawn alone
  const solid = colliders.filter(({ acts }) => acts.includes(1));
  const rider = solid.find(({ body }) => body >= 0);
  const other = rider && solid.find(({ body }) => body !== rider.body);
  if (!rider || !other) return;
  warnings.push(
    `colliders act on rods, not on each other: '${rider.id}' on body '${bodies[rider.body].body.id}' passes through '${other.id}'; to let bodies collide, use 'engine'`,
  );
}

/** Warns about stiff penalty forces: the force is that of the start of the step, so a stiff one throws rods back faster than they came. */
export function warnStiffRepulsion({ contact, time }: Scene, rods: readonly Rod[], warnings: string[]): void {
  const { solver, repulsion } = contact ?? {};
  if (solver !== 'repulsion' || !repulsion || !time) return;
  let lightest = { mass: Infinity, id: '' };
  for (const { id, nodeMass } of rods)
    for (const mass of nodeMass) if (mass > 0 && mass < lightest.mass) lightest = { mass, id };
  const { stiffness } = repulsion;
  const ratio = (stiffness * (time.step * time.step)) / lightest.mass;
  if (!(ratio > 1)) return;
  const short = (x: number): string => String(Number(x.toPrecision(2)));
  warnings.push(
    `contact.repulsion.stiffness: ${stiffness} N/m is too much for steps of ${time.step} s: k h²/m = ${short(ratio)} for the lightest node of rod '${lightest.id}', and above 1 rods may be thrown back much faster than they came; use at most ${short(lightest.mass / (time.step * time.step))} N/m, or steps of at most ${short(Math.sqrt(lightest.mass / stiffness))} s`,
  );
}

/** Rejects fields that need or exclude each other. */
export function checkSpec({ contact: spec, bodies = [], colliders = [] }: Scene): void {
  if (!spec) return;
  const refuseField = (field: string, message: string): void => {
    throw new SceneError(['contact', field], message);
  };
  const { solver = 'admm', between = 'pairs' } = spec;
  if (solver === 'repulsion' && !spec.repulsion)
    refuseField('repulsion', "solver: repulsion needs 'repulsion' with a stiffness and a reach");
  if (solver !== 'repulsion' && spec.repulsion)
    refuseField('repulsion', `it has no effect with solver: ${solver}; remove it, or use solver: repulsion`);
  if (solver === 'repulsion' && spec.friction !== undefined) refuseField('friction', NO_FRICTION);
  if (solver === 'repulsion')
    colliders.forEach(({ friction = 0 }, k) => {
      if (friction !== 0) throw new SceneError(['colliders', k, 'friction'], NO_FRICTION);
    });
  // nothing else moves a collider on a path
  if (solver === 'impulses' && bodies.some(({ path }) => !path))
    refuseField('solver', 'impulses does not support bodies that move freely; use admm');
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

interface CheckedParts {
  readonly scene: Scene;
  readonly rods: readonly Rod[];
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly BundlePlace[];
  readonly colliders: readonly Collider[];
}

/** Rejects scenes that contact cannot solve, before the run. `pairs`: rods touch each other. */
export function refuseUntouchable({ scene, rods, bundles, placeOfRod, colliders }: CheckedParts, pairs: boolean): void {
  rods.forEach((rod, r) => {
    const bundle = bundles[placeOfRod[r].bundle];
    const collider = colliders.findIndex(({ acts }) => acts[r]);
    if (!pairs && collider < 0) return;
    if (!bundle.contact) {
      const where = collider >= 0 ? ['colliders', collider] : ['contact'];
      const remedy =
        "use der (with an implicit integrator if there are bodies), helix, strand or fiber without stiffness damping, or leave the rod out with 'rods' of the collider";
      throw new SceneError(
        where,
        `rod '${rod.id}' of model '${bundle.model}' does not support contact with these options; ${remedy}`,
      );
    }
    if (pairs && !scene.contact?.radius && rod.edgeRadius.some((radius) => !(radius > 0)))
      throw new SceneError(
        ['contact'],
        `rod '${rod.id}' has no radius for contact; give its section a radius, or set contact.radius`,
      );
  });
}
