/** Remarks on a step: what models have to say, and what the world watches for them. */

import type { Break } from '../breakPort.ts';
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

const inWords = (value: number, unit: string): string => `${Number(value.toPrecision(4))} ${unit}`;

/** A break in words, such as "rod 'a' broke at edge 17, t = 0.42 s, tension 5.01 N". */
export function describeBreak({ rod, edge, link, time, tension, moment }: Break): string {
  const what = link === undefined ? `rod '${rod}' broke at edge ${edge}` : `link '${link}' broke`;
  const bending = moment === undefined ? '' : `, bending moment ${inWords(moment, 'N m')}`;
  return `${what}, t = ${inWords(time, 's')}, ${link === undefined ? 'tension' : 'force'} ${inWords(tension, 'N')}${bending}`;
}
