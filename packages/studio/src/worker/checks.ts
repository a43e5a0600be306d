/** Cases against theory, and pictures of them for the gallery. */
import { availableModels } from '@tendril-sim/core';
import { sceneFromObject } from '@tendril-sim/io';
import type { Answer, Ask, Preview, Progress } from '../protocol.ts';
import { fetchCase, fetchRunChecks } from './caseFiles.ts';
import { coloringOf } from './coloring.ts';
import { createLane } from './lane.ts';
import { fetchModels, modelsOf } from './models.ts';
import { drawColliders, gravityOf } from './reading.ts';

export async function check(
  { id, model }: Ask<'check'>,
  report: (progress: Progress) => void,
): Promise<Answer<'check'>> {
  const [subject, runChecks] = await Promise.all([fetchCase(id), fetchRunChecks(), fetchModels(availableModels())]);
  if (!subject) throw new RangeError(`there is no case '${id}'`);
  const rows = runChecks(subject, { full: false, model, onProgress: (done, of, what) => report({ done, of, what }) });
  return { rows };
}

/** A case some way into its run, for a picture of it. `patience`: seconds to run. */
export async function preview(id: string, patience: number): Promise<Preview> {
  const subject = await fetchCase(id);
  if (!subject) throw new RangeError(`there is no case '${id}'`);
  const scene = sceneFromObject(subject.scene(), id);
  const variant = { id: '', label: '' };
  await fetchModels(modelsOf(scene, [variant]));
  const lane = createLane(scene, variant, 0);
  const begin = performance.now();
  const wanted = (previewAt[id] ?? 0.7) * lane.duration;
  while (lane.time < wanted && !lane.failure && performance.now() - begin < 1000 * patience) lane.step();
  const { data } = lane.frame();
  const colliders = await drawColliders(scene, lane.world);
  return { lane: lane.info, data, colliders, gravity: gravityOf(scene), colorBy: coloringOf(scene, subject.colorBy) };
}

/** When a case looks like itself, as a part of its duration. */
const previewAt: Readonly<Record<string, number>> = {
  'michell-ring': 1,
  'heavy-cantilever': 0.16,
  'cantilever-frequencies': 0.36,
  'localized-buckling': 0.8,
  'wilberforce-pendulum': 0.02,
  'tree-in-wind': 0.1,
  'free-flight': 0.35,
  'trefoil-knot': 1,
  plectoneme: 1,
  drop: 0.3,
  'broken-spaghetti': 0.626,
  'snapped-bar': 0.73,
};
