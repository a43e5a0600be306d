/** Rejects scenes that a scheme does not support, before the run. */
import { SceneError } from '../../errors.ts';
import type { Coupling, Drive } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';

export function refuse(
  rods: readonly Rod[],
  drives: readonly Drive[],
  scene: Scene,
  coupling: Coupling,
  scheme: string,
  explicit: boolean,
): void {
  if (explicit && scene.solver?.der?.strain === 'rotation') {
    throw new SceneError(
      ['solver', 'der', 'strain'],
      `${scheme} is the scheme of the 2008 paper and has its strain, bergou2008; remove 'strain', or use tr-bdf2`,
    );
  }
  const place = ['solver', 'der', 'integrator'];
  if (coupling.welds.length > 0 && scheme === 'bdf2') {
    throw new SceneError(place, `${scheme} does not move bodies; use tr-bdf2, midpoint, implicit-euler or shake`);
  }
  if (explicit) refuseImplicitOnly(rods, drives, scene, scheme);
  const rigid = scheme === 'midpoint' ? rods.find((rod) => rod.edgeEA.some((EA) => EA === Infinity)) : undefined;
  if (!rigid) return;
  const remedy = "give it EA (or a material without 'inextensible'), or use tr-bdf2";
  throw new SceneError(place, `midpoint is unstable for inextensible rods, and rod '${rigid.id}' is one; ${remedy}`);
}

function refuseImplicitOnly(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, scheme: string): void {
  const place = ['solver', 'der', 'integrator'];
  const touches = scene.contact !== undefined || (scene.colliders?.length ?? 0) > 0;
  const elastic = touches ? rods.find((rod) => rod.edgeEA.some((EA) => EA < Infinity)) : undefined;
  if (elastic)
    throw new SceneError(
      place,
      `${scheme} keeps edges at their length, and steps with contact must too; set 'inextensible: true' on rod '${elastic.id}', or use tr-bdf2`,
    );
  const torque = scene.loads?.findIndex(({ type }) => type === 'torque') ?? -1;
  if (torque >= 0)
    throw new SceneError(
      ['loads', torque],
      `${scheme} does not support torques: its frames have no inertia; use tr-bdf2`,
    );
  rods.forEach((rod, k) => {
    if (rod.animation)
      throw new SceneError(
        place,
        `${scheme} supports no properties that change in time, and rod '${rod.id}' has 'animate'; use tr-bdf2`,
      );
    const hinge = drives[k].pins.find((pin) => pin.orientation === 'hinge');
    if (hinge)
      throw new SceneError(
        place,
        `${scheme} has no hinges, and rod '${rod.id}' has one at node ${hinge.node}; use tr-bdf2, or a ball joint (hold: position)`,
      );
    const held = drives[k].pins.find((pin) => pin.orientation !== 'free');
    if (held && rod.closed)
      throw new SceneError(
        place,
        `${scheme} holds no frames on closed rods, and rod '${rod.id}' has one held at node ${held.node}; use tr-bdf2`,
      );
    if (rod.halfDamping.some((beta) => beta > 0)) {
      throw new SceneError(
        place,
        `${scheme} has no stiffness damping, and rod '${rod.id}' asks for it; use tr-bdf2, or mass damping alone`,
      );
    }
    if (rod.nodeMass.some((mass) => !(mass > 0)))
      throw new SceneError(place, `${scheme} needs mass at every node of rod '${rod.id}'`);
    for (const pin of drives[k].pins) {
      if ((pin.holdX || pin.holdY || pin.holdZ) && !(pin.holdX && pin.holdY && pin.holdZ)) {
        throw new SceneError(
          place,
          `${scheme} holds all three axes of a position or none; rod '${rod.id}', node ${pin.node}: use tr-bdf2`,
        );
      }
    }
  });
}
