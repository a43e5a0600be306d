/** Path-traced pictures of moments of a case's scene, for the report on a paper. */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Case, PaperPanels } from '@tendril-sim/cases';
import { type Footage, pickFrames, type SceneInput } from '@tendril-sim/io';
import { openRecordingFile } from '@tendril-sim/io/node';
import type { ScenePanel, ScenePanels } from '../html/paper.ts';
import { createRenderPool } from '../render/pool.ts';
import { createShoot, drawFrame, type ShootOptions } from '../render/shoot.ts';
import { findRecording } from './export.ts';
import { announce, type PaperJob, runScene } from './paperFigures.ts';

/** Width of a line of pictures [pixels], and of the narrowest picture. */
const lineWidth = 1320;
const widthMin = 440;

const basic = { samples: 48, bounces: 5, light: 'studio', lightTurn: 0, brightness: 1, background: '#f1ede6' } as const;

/** Draws the panels from the recording in `folder`, or of a scene of their own; undefined after an interrupt. */
export async function takePanels(
  job: PaperJob,
  subject: Case,
  { scene, moments, aspect = 1.5, columns = Math.min(3, moments.length), look = {} }: PaperPanels,
  folder: string,
): Promise<ScenePanels | undefined> {
  const own = scene && (await runOwnScene(job, `${subject.id}-${moments[0].time}`, scene()));
  if (own === 'interrupted') return undefined;
  const recording = openRecordingFile(findRecording(own ?? folder));
  const pool = createRenderPool(availableParallelism());
  try {
    const frames = moments.map(({ time }) => closestFrame(recording, time));
    const width = Math.max(widthMin, Math.min(880, Math.round(lineWidth / columns)));
    const options: ShootOptions = { ...basic, ...look, size: [width, Math.round(width / aspect)] };
    const shoot = createShoot(pickFrames(recording, frames), options, pool);
    const panels: ScenePanel[] = [];
    for (const [k, { caption }] of moments.entries()) {
      announce(job, `${subject.id}: picture ${k + 1} of ${moments.length}`);
      const png = await drawFrame(shoot, k, job.interrupt);
      if (!png) return undefined;
      panels.push({ data: Buffer.from(png).toString('base64'), caption });
    }
    return { panels, columns, ...(!own && { command: `tendril run ${subject.id}` }) };
  } finally {
    await pool.close();
    recording.close();
  }
}

async function runOwnScene(job: PaperJob, name: string, scene: SceneInput): Promise<string | 'interrupted'> {
  const file = join(job.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(scene));
  return runScene(file, join(job.folder, `${name}-own`));
}

function closestFrame(footage: Footage, time: number): number {
  let closest = 0;
  for (let k = 1; k < footage.frameCount; k++)
    if (Math.abs(footage.frame(k).time - time) < Math.abs(footage.frame(closest).time - time)) closest = k;
  return closest;
}
