/** Rejects scenes that the model does not support, and warns about doubtful ones, before the run. */

import { SceneError } from '../../errors.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import type { FiberOptions } from './options.ts';
import { type FiberRod, highestFrequency } from './rod.ts';

/** Warns of moduli that no isotropic solid has. They are allowed: fibers are not isotropic, and E and G are measured separately. */
export function noteMaterials(rods: readonly Rod[], scene: Scene, warnings: string[]): void {
  for (const { id } of rods) {
    const spec = scene.rods.find((rod) => rod.id === id)?.material;
    const material = typeof spec === 'string' ? scene.materials?.[spec] : spec;
    if (typeof material?.E !== 'number' || typeof material.G !== 'number') continue;
    const nu = material.E / (2 * material.G) - 1;
    if (nu > -1 && nu <= 0.5) continue;
    warnings.push(
      `rod '${id}': E and G belong to no isotropic solid (Poisson's ratio would be ${nu.toPrecision(3)}); bending follows E and twisting G, each as given`,
    );
  }
}

type SchemeName = NonNullable<FiberOptions['integrator']>;

/** Throws SceneError for features that a scheme does not support. */
export function refuseScheme(
  fibers: readonly FiberRod[],
  scheme: SchemeName,
  scene: Scene,
  options: FiberOptions,
): void {
  const place = ['solver', 'fiber', 'integrator'];
  for (const [field, wanted] of [
    ['paperFilter', options.paperFilter],
    ['functions', options.functions],
    ['series', options.series],
  ] as const) {
    if (wanted !== undefined && scheme !== 'deti')
      throw new SceneError(
        ['solver', 'fiber', field],
        `'${field}' has no effect with ${scheme}; remove it, or use deti`,
      );
  }
  if (options.calmRings) {
    const calm = ['solver', 'fiber', 'calmRings'];
    if (scheme !== 'energy-momentum')
      throw new SceneError(calm, `'calmRings' has no effect with ${scheme}; remove it, or use energy-momentum`);
    const damped = fibers.find(({ ringDamping, edgeViscosity }) =>
      [...ringDamping, ...edgeViscosity].some((value) => value > 0),
    );
    if (damped)
      throw new SceneError(
        calm,
        `rod '${damped.rod.id}' has damping, so its rings come to rest by themselves; remove calmRings`,
      );
  }
  if (scheme === 'deti' && scene.pins?.some(({ release }) => release !== undefined))
    throw new SceneError(place, 'deti has one basis for the whole run, and a pin is released; use energy-momentum');
  for (const { rod, edgeViscosity, ringDamping } of fibers) {
    const viscous = edgeViscosity.some((value) => value > 0);
    if (viscous && (scheme === 'midpoint' || scheme === 'implicit-euler' || scheme === 'deti-r')) {
      throw new SceneError(
        place,
        `${scheme} has no stiffness damping, and rod '${rod.id}' asks for it; use energy-momentum`,
      );
    }
    if (scheme === 'deti-r' && ringDamping.some((value) => Math.abs(value - ringDamping[0]) > 1e-12 * ringDamping[0]))
      throw new SceneError(
        place,
        `deti-r needs mass damping that is constant along rod '${rod.id}'; use energy-momentum`,
      );
  }
}

/** Warns that rods roll with the inertia of the scaffold, if the scene sets that. */
export function warnRolling(fibers: readonly FiberRod[], warnings: string[]): void {
  for (const { rod, width1, width2, particleMass } of fibers) {
    const polar = rod.edgeInertia.reduce((sum, value) => sum + value, 0);
    let own = 0;
    for (let i = 0; i < rod.nodeCount; i++) own += particleMass[i] * (width1 * width1 + width2 * width2);
    if (!(polar > 0) || own < 1.1 * polar) continue;
    warnings.push(
      `rod '${rod.id}' rolls with the inertia of its scaffold, ${(own / polar).toPrecision(3)} times that of its section; remove solver.fiber.inertia`,
    );
  }
}

export function warnOptions({ tolerance = 1e-3, ring = 20 }: FiberOptions, warnings: string[]): void {
  if (tolerance > 0.02)
    warnings.push(
      `solver.fiber.tolerance is ${tolerance}: above 0.02 of the scaffold's width energy is gained; use 1e-3`,
    );
  if (ring < 4) warnings.push(`solver.fiber.ring is ${ring}: rings as soft as this deform under twist; use 20`);
}

export function warnScheme(fibers: readonly FiberRod[], scheme: SchemeName, scene: Scene, warnings: string[]): void {
  const h = scene.time?.step;
  if (h === undefined) return;
  for (const fiber of fibers) {
    const alpha = fiber.ringDamping.reduce((a, b) => Math.min(a, b), Infinity);
    const omega = highestFrequency(fiber);
    if (scheme === 'midpoint' && alpha < 5 && h * omega > 2) {
      warnings.push(
        `rod '${fiber.rod.id}': midpoint at a step of ${h} s does not resolve its springs (hω up to ${(h * omega).toFixed(0)}) and gains energy when the fiber swings; use energy-momentum`,
      );
    }
    if (scheme === 'deti' && alpha === 0 && h * omega > 2) {
      warnings.push(
        `rod '${fiber.rod.id}': deti without damping at hω up to ${(h * omega).toFixed(0)} holds for slopes of a few hundredths and loses accuracy before; larger ones end the run. Use energy-momentum, damping, or a smaller step`,
      );
    }
    if (scheme === 'deti' && fiber.pins.some(({ isStill }) => !isStill)) {
      warnings.push(
        `rod '${fiber.rod.id}': deti filters the rod but not its pins, so forces near a pin that moves are wrong and grow as the step shrinks; use energy-momentum`,
      );
    }
    const least = h <= 2e-3 ? 5 : 10;
    if (scheme === 'deti-r' && alpha < least) {
      warnings.push(
        `rod '${fiber.rod.id}': deti-r is stable by itself from a mass damping of about ${least} 1/s on at this step, and has ${alpha}; steps that raise the energy are taken by energy-momentum, which may be all`,
      );
    }
  }
}
