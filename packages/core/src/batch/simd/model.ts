/** The model `der`, computed by the SIMD kernels. */
import { SceneError } from '../../errors.ts';
import type { Bundle, Model } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { ThreadPort } from '../../threads/options.ts';
import { createDeviceBundle } from '../gpu/bundle.ts';
import type { GpuCaller } from '../gpu/caller.ts';
import type { Membership } from '../gpu/membership.ts';
import { hasContact } from '../gpu/model.ts';
import { batchModel, compileBatch } from '../model.ts';
import { createSimdDevice } from './device.ts';
import { compileSimd } from './memory.ts';
import { createThreadedSimdDevice, LEAST_STRANDS } from './threads.ts';

/** Why some rods are not moved by the kernels. Throws SceneError if none is. */
function explainMembership({ groups, others }: Membership, rods: readonly Rod[]): string[] {
  if (others.length === 0) return [];
  const { rod, reason } = others[0];
  if (groups.length === 0)
    throw new SceneError(
      ['solver', 'der', 'backend'],
      `the simd backend cannot move rod '${rods[rod].id}': it ${reason}; use backend: batch`,
    );
  const more = others.length > 1 ? ` and ${others.length - 1} others are` : ' is';
  return [`rod '${rods[rod].id}'${more} computed in double precision, without SIMD: it ${reason}`];
}

/** Options of `loadSimdDer`. */
export interface SimdOptions {
  /** Workers that share the rods with the caller's thread; their scripts call `serveSimd` with every message. Default: none. */
  readonly workers?: readonly ThreadPort[];
  /** Rods below which the caller works alone. Default 512. */
  readonly leastRods?: number;
}

/** Compiles the kernels: `createWorld(scene, { models: [await loadSimdDer()] })`, with `solver.der.backend: simd` in the scene. */
export async function loadSimdDer({ workers = [], leastRods = LEAST_STRANDS }: SimdOptions = {}): Promise<Model> {
  const module = await compileSimd();
  const open = (): GpuCaller =>
    workers.length > 0 ? createThreadedSimdDevice(module, workers, leastRods) : createSimdDevice(module);
  return {
    ...batchModel,
    backend: 'simd',
    isFast: true,
    compile(rods, drives, scene, coupling): Bundle {
      const reference = compileBatch(rods, drives, scene, {
        ...coupling,
        ...(hasContact(scene) && { mergedContact: 'the simd backend' }),
      });
      return createDeviceBundle(open(), reference, (membership) => explainMembership(membership, rods));
    },
  };
}
