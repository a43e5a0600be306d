/** Rejects scenes that the model does not support, and warns about doubtful ones, before the run. */

import { SceneError } from '../../errors.ts';
import type { Drive } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import type { MassSpringOptions } from './options.ts';
import type { HairOptions } from './rod.ts';
import { bendingOf, type Truss } from './truss.ts';

export function readOptions(options: MassSpringOptions): HairOptions {
  const at = ['solver', 'massspring'];
  const { theta = 0.5, damping = 1e-4, altitude = 0.02, stretch, iterations = 30 } = options;
  // moving particles outside the equations of motion creates energy, so the energy-conserving step does not use it
  const { strainLimit = theta > 0.5 || iterations === 0 ? 0.1 : 0 } = options;
  if (!(theta >= 0.5 && theta <= 1))
    throw new SceneError([...at, 'theta'], `theta is ${theta}; it must be from 0.5 (second order) to 1 (dissipates)`);
  if (!(damping >= 0))
    throw new SceneError([...at, 'damping'], `the damping time is ${damping} s; it cannot be negative`);
  if (!(altitude >= 0)) throw new SceneError([...at, 'altitude'], `altitude is ${altitude}; it cannot be negative`);
  if (stretch !== undefined && !(stretch >= 1))
    throw new SceneError(
      [...at, 'stretch'],
      `stretch is ${stretch}; below 1 the springs against stretch would bend, too`,
    );
  if (!(strainLimit >= 0 && strainLimit < 1))
    throw new SceneError([...at, 'strainLimit'], `strainLimit is ${strainLimit}; it must be from 0 (off) to below 1`);
  if (!(Number.isInteger(iterations) && iterations >= 0))
    throw new SceneError([...at, 'iterations'], `iterations is ${iterations}; it must be a whole number, 0 or more`);
  return { theta, damping, altitude, stretch, strainLimit, iterations };
}

/** Warns about the published step, midpoint without damping: it gains energy if a rod buckles, however short the step. */
export function warn(rods: readonly Rod[], { theta, damping, iterations }: HairOptions): string[] {
  const bare = rods.find((rod) => rod.halfDamping.every((beta) => beta === 0));
  if (!bare || damping > 0 || theta > 0.5 || iterations > 0) return [];
  return [
    `the springs of rod '${bare.id}' have no damping, and with theta: 0.5 they gain energy when it buckles, at any step: steps will be cut; leave solver.massspring.iterations at its default, or set damping (1e-4 s), or theta: 1`,
  ];
}

/** Warns of an EA that is too small for the springs to represent. */
export function warnMisfit({ id }: Rod, { misfit }: Truss, { stretch }: HairOptions): string[] {
  if (stretch !== undefined || misfit < 1.05) return [];
  return [
    `rod '${id}' has an EA so small beside EI/l² that its springs cannot have both: they are ${misfit.toPrecision(3)} times as stiff against stretch, so it stretches too little; use fewer edges, or der`,
  ];
}

/** Error of the bending stiffness above which there is a warning. */
const NOTICEABLE = 0.05;

/**
 * How much too stiff and too soft the truss of a cantilever is. Altitude springs stiffen bending by `altitude` times a factor that was measured for GJ/EI from
 * 0.3 to 1, to 3 %: the larger of the two planes counts in one direction, the smaller in the other. A clamp makes the rod shorter in one plane and longer
 * in the other by 0.3 to 0.4 of a segment, which moves a tip under a uniform load by four times that (docs/massspring.md#errors). A truss whose k_b follows
 * EA is softer in one plane and stiffer in another by its skew.
 */
export function bendingErrors(
  rod: Rod,
  { skew }: Pick<Truss, 'skew'>,
  altitude: number,
  isClamped: boolean,
): { stiff: number; soft: number } {
  let ratio = 0;
  for (let j = 0; j < rod.edgeCount; j++) {
    const { EI, GJ } = bendingOf(rod, j);
    ratio = Math.max(ratio, EI / GJ);
  }
  const [most, least] = [0.84 + 0.86 * ratio, 0.93 + 0.3 * ratio].map((factor) => {
    const added = factor * altitude;
    return added / (1 + added);
  });
  const end = isClamped ? 1 / rod.edgeCount : 0;
  return { stiff: most + 1.3 * end + skew, soft: Math.max(0, 1.55 * end + skew - least) };
}

/** Warns of a bending stiffness whose error is above the limit. */
export function warnStiffness(rod: Rod, truss: Truss, { pins }: Drive, { altitude }: HairOptions): string[] {
  const isClamped = pins.some(({ orientation }) => orientation === 'frame');
  const { stiff, soft } = bendingErrors(rod, truss, altitude, isClamped);
  if (Math.max(stiff, soft) < NOTICEABLE) return [];
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  const range =
    soft > 0.005
      ? `from ${percent(stiff)} too little to ${percent(soft)} too much`
      : `up to ${percent(stiff)} too little`;
  const remedy =
    altitude > 0 ? 'use more edges, a smaller solver.massspring.altitude, or der' : 'use more edges, or der';
  return [
    `rod '${rod.id}' bends by ${range}, depending on the direction of its loads: that is the accuracy of the truss of massspring with ${rod.edgeCount} edges; ${remedy}`,
  ];
}

/** Largest initial twist per edge beyond that of the natural shape [rad]. */
const LARGEST_TWIST = 1;

/** Throws SceneError for features that the model does not support. */
export function refuse(rod: Rod, { pins }: Drive, scene: Scene): void {
  const index = scene.rods.findIndex(({ id }) => id === rod.id);
  const at = ['rods', index];
  if (rod.closed)
    throw new SceneError(
      [...at, 'model'],
      `the model massspring has no closed rods, and rod '${rod.id}' is one; use der`,
    );
  const uneven = rod.halfEI1.findIndex((EI, k) => Math.abs(EI / rod.halfEI2[k] - 1) > 1e-6);
  if (uneven >= 0)
    throw new SceneError(
      [...at, 'section'],
      `rod '${rod.id}' is stiffer about one axis than about the other, which massspring does not support; use a round section, or der`,
    );
  for (let i = 1; i + 1 < rod.nodeCount; i++) {
    const natural = rod.halfStrainRest[6 * i - 1] + rod.halfStrainRest[6 * i + 2];
    const twist = Math.abs(rod.nodeTwist[i] - natural);
    if (twist > LARGEST_TWIST)
      throw new SceneError(
        [...at, 'frame'],
        `rod '${rod.id}' is laid with a twist of ${twist.toFixed(2)} rad at node ${i}, and its springs fold at π/2; use more edges, or der`,
      );
  }
  for (const pin of pins) {
    if (pin.orientation === 'free') continue;
    const where = `rod '${rod.id}', node ${pin.node}`;
    if (pin.orientation === 'tangent')
      throw new SceneError(
        ['pins'],
        `massspring cannot hold a direction and leave the spin free (${where}); use hold: clamp, or der`,
      );
    if (pin.node !== 0 && pin.node !== rod.nodeCount - 1)
      throw new SceneError(['pins'], `massspring clamps a rod at its ends only (${where}); use hold: position, or der`);
    if (!(pin.holdX && pin.holdY && pin.holdZ))
      throw new SceneError(
        ['pins'],
        `massspring holds a frame together with all of its position (${where}); use hold: clamp without axes, or der`,
      );
  }
}
