/** `der` on a GPU as a model of the world. */
import { SceneError } from '../../errors.ts';
import type { Bundle, Model } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import type { ThreadPort } from '../../threads/options.ts';
import { batchModel, compileBatch } from '../model.ts';
import { createDeviceBundle } from './bundle.ts';
import { createCaller } from './caller.ts';
import type { Membership } from './membership.ts';

/** `createWorld(scene, { models: [model] })`; the scene may ask for it by `solver.der.backend: gpu`. */
export interface GpuModel extends Model {
  /** In words, such as "NVIDIA H200". */
  readonly adapter: string;
}

/** True if rods may touch anything; contact is then merged into their iterations. */
export function hasContact({ colliders = [], contact }: Scene): boolean {
  return colliders.length > 0 || (contact !== undefined && contact.between !== 'none');
}

/** Why some rods are not on the device. Throws SceneError if none is. */
function explainMembership({ groups, others }: Membership, rods: readonly Rod[], adapter: string): string[] {
  if (others.length === 0) return [];
  const { rod, reason } = others[0];
  if (groups.length === 0)
    throw new SceneError(
      ['solver', 'der', 'backend'],
      `the gpu backend cannot move rod '${rods[rod].id}': it ${reason}; use backend: batch`,
    );
  const onDevice = groups.reduce((sum, group) => sum + group.rods.length, 0);
  const more = others.length > 1 ? ` and ${others.length - 1} others are` : ' is';
  return [
    `${onDevice} ${onDevice === 1 ? 'rod is' : 'rods are'} on the GPU (${adapter}); rod '${rods[rod].id}'${more} on the CPU: it ${reason}`,
  ];
}

/**
 * `port`: the thread that has the device and calls `createGpuServer(...).serve` with every message. Its calls block the caller's
 * thread, so it must not be that of a page.
 */
export function createGpuModel(port: ThreadPort, adapter: string): GpuModel {
  const caller = createCaller(port);
  return {
    ...batchModel,
    backend: 'gpu',
    isFast: true,
    adapter,
    compile(rods, drives, scene, coupling): Bundle {
      const reference = compileBatch(rods, drives, scene, {
        ...coupling,
        ...(hasContact(scene) && { mergedContact: 'the gpu backend' }),
      });
      return createDeviceBundle(caller, reference, (membership) => explainMembership(membership, rods, adapter));
    },
  };
}
