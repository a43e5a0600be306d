/** Recordings of single runs, into a folder or an S3-compatible store. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { channelNames, type World } from '@tendril-sim/core';
import { createRecordingEncoder, recordingFrame, recordingHeader } from '@tendril-sim/io';
import { writeFileAtomic } from '@tendril-sim/io/node';
import type { Plan, RunSpec } from '../study/planTypes.ts';
import { isStore, putObject } from './objectStore.ts';

export interface RunRecorder {
  frame(): void;
  /** Stores the recording under the run's hash; returns where. */
  finish(): Promise<string>;
}

/** The plan with its recordings in the folder of results, unless the study says where they go. */
export function placeRecordings(plan: Plan, results: string): Plan {
  const { recordings } = plan;
  if (!recordings || recordings.to !== undefined) return plan;
  return { ...plan, recordings: { ...recordings, to: resolve(results, 'recordings') } };
}

/** Undefined if this run is not to be recorded. */
export function createRunRecorder(plan: Plan, spec: RunSpec, world: World): RunRecorder | undefined {
  const { recordings } = plan;
  if (!recordings || spec.index % recordings.every !== 0) return undefined;
  const encoder = createRecordingEncoder(recordingHeader(world, { version: plan.version, channels: channelNames }));
  const chunks: Uint8Array[] = [encoder.encodeHeader()];
  return {
    frame: () => void chunks.push(encoder.encodeFrame(recordingFrame(world, channelNames))),
    async finish() {
      chunks.push(encoder.encodeFooter());
      const name = `${spec.hash}.tendril`;
      const { to = 'recordings' } = recordings;
      const bytes = Buffer.concat(chunks);
      if (isStore(to)) return putObject(to, name, bytes, recordings.endpoint);
      mkdirSync(to, { recursive: true });
      writeFileAtomic(join(to, name), bytes, { overwrite: true });
      return join(to, name);
    },
  };
}
