/** Cases against theory, and pictures of them for the gallery. */
import { availableModels, type Scene } from '@tendril-sim/core';
import { sceneFromObject } from '@tendril-sim/io';
import type { ToWorker } from '../protocol.ts';
import { fetchCase, fetchRunChecks } from './caseFiles.ts';
import { createLane } from './lane.ts';
import { fetchModels, modelsOf } from './models.ts';
import { send } from './post.ts';
import { drawColliders } from './reading.ts';

export async function check({ ticket, id, model }: Extract<ToWorker, { type: 'check' }>): Promise<void> {
  const [subject, runChecks] = await Promise.all([fetchCase(id), fetchRunChecks(), fetchModels(availableModels())]);
  if (!subject) {
    send({ type: 'check-rows', ticket, rows: [], error: `there is no case '${id}'` });
    return;
  }
  try {
    const rows = runChecks(subject, {
      full: false,
      model,
      onProgress: (done, of, what) => send({ type: 'check-progress', ticket, done, of, what }),
    });
    send({ type: 'check-rows', ticket, rows });
  } catch (error) {
    send({ type: 'check-rows', ticket, rows: [], error: error instanceof Error ? error.message : String(error) });
  }
}

/** A case some way into its run, for a picture of it. */
export async function preview(ticket: number, id: string, patience: number): Promise<void> {
  try {
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
    send({ type: 'preview', ticket, lane: lane.info, data, colliders, twists: twists(scene) }, [
      data.buffer as ArrayBuffer,
    ]);
  } catch {
    send({ type: 'preview', ticket, lane: undefined, data: new Float32Array(0), colliders: [], twists: false });
  }
}

/** Where twist is put in, twist is what one wants to see. */
function twists(scene: Scene): boolean {
  return /"twist":|"turns":|torque/.test(JSON.stringify({ ...scene, rods: scene.rods.slice(0, 4) }));
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
};
