/** Which worlds have contact, and of those, which have equilibria with it. */
import { SceneError } from '../errors.ts';
import type { WorldParts } from './build.ts';

/** True if rods of the scene may touch something. */
export function touches({ contact, scene, colliders }: WorldParts): boolean {
  const meets = scene.contact !== undefined && scene.contact.between !== 'none';
  return contact !== undefined && (colliders.length > 0 || meets);
}

/** Throws if equilibria of the world with contact are not supported. */
export function refuseWithContact({ scene, bundles, continuum }: WorldParts): void {
  const say = (field: string, what: string): never => {
    throw new SceneError([field], `equilibria with contact are for scenes without ${what}`);
  };
  if (scene.bodies?.length) say('bodies', 'rigid bodies; let the scene come to rest with damping');
  if (continuum) say('contact', 'between: continuum');
  if (bundles.some(({ ownContact }) => ownContact)) say('solver', `this backend; use solver.der.backend: standard`);
}
