/** Remarks on a step: what models have to say, and what the world watches for them. */
import type { ContactModule } from '../contact/index.ts';
import type { CompiledScene } from '../scene/compile.ts';
import type { WorldParts } from './build.ts';
import { createFoldWatch } from './folds.ts';

type Watched = Pick<WorldParts, 'bundles' | 'samples' | 'drives' | 'colliders' | 'contact' | 'clock'> & {
  readonly contactModule: ContactModule | undefined;
};

const noRemarks: readonly string[] = [];

/** One after the other. Most steps have no remarks: nothing is allocated for them. */
function join(first: readonly string[], second: readonly string[]): readonly string[] {
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/**
 * Returns a function to call after each step: the remarks of models, and those on folds, on pins that obstacles swallow, and on corners that hold rods
 * like friction. Corners are not watched if the bundle solves contact on a device.
 */
export function createRemarkWatch({ scene, rods }: CompiledScene, watched: Watched): (t: number) => readonly string[] {
  const { bundles, samples, drives, colliders, contact, contactModule, clock } = watched;
  const hasOwnContact = bundles.some(({ ownContact }) => ownContact);
  const pins = drives.map((drive) => drive.pins);
  const folds = createFoldWatch(rods, samples, pins);
  const buried = contactModule?.createBuriedPinWatch({ rods, samples, colliders, pins }, clock.time);
  const corners = contactModule?.createCornerWatch({
    scene,
    rods,
    samples,
    contact: hasOwnContact ? undefined : contact,
  });
  const watches = [folds, buried, corners].filter((watch) => watch !== undefined);
  return (t) => {
    let remarks = noRemarks;
    for (const bundle of bundles) if (bundle.takeRemarks) remarks = join(remarks, bundle.takeRemarks());
    for (const watch of watches) remarks = join(remarks, watch(t));
    return remarks;
  };
}
