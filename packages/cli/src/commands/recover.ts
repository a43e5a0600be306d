/** `tendril recover`: saves the complete frames and the last checkpoint of a run that was killed. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createRecordingEncoder, InputError } from '@tendril-sim/io';
import { createAtomicWriter, openRecordingFile, parseTemporaryName, readStateFile } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { checkpointName, leftovers } from '../folder.ts';
import { isAlive, refuseLocked, removeLock } from '../lock.ts';
import { formatNumber, formatWarning, type Terminal } from '../terminal.ts';

export function recover(folder: string, terminal: Terminal): number {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new UsageError(`there is no folder '${folder}'; name the folder of a killed run`);
  refuseLocked(folder);
  const temporary = leftovers(folder).filter((name) => {
    const pid = parseTemporaryName(name)?.pid;
    return pid === undefined || !isAlive(pid);
  });
  const recordings = temporary
    .filter((name) => parseTemporaryName(name)?.target === 'recording.tendril')
    .map((name) => rescueRecording(folder, name, terminal));
  const state = rescueState(folder);
  for (const name of temporary) rmSync(join(folder, name), { force: true });
  removeLock(folder);
  for (const said of [...recordings, state]) if (said !== undefined) terminal.out(`${said}\n`);
  if (state === undefined && recordings.every((said) => said === undefined)) {
    terminal.out(`there is no unfinished run in '${folder}'\n`);
  }
  return exitCode.done;
}

/** Writes the complete frames, with an end mark, under a free name. Undefined if there are none. */
function rescueRecording(folder: string, name: string, terminal: Terminal): string | undefined {
  const file = join(folder, name);
  let recording: ReturnType<typeof openRecordingFile>;
  try {
    recording = openRecordingFile(file, { partial: true });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    terminal.err(formatWarning(`a recording had not begun: ${error.message}`));
    return undefined;
  }
  try {
    if (recording.frameCount === 0) return undefined;
    const out = freeName(folder, 'recording');
    const encoder = createRecordingEncoder(recording.header);
    const writer = createAtomicWriter(out);
    try {
      writer.append(encoder.encodeHeader());
      for (const frame of recording.frames()) writer.append(encoder.encodeFrame(frame));
      writer.append(encoder.encodeFooter());
      writer.commit();
    } catch (error) {
      writer.abort();
      throw error;
    }
    const { time } = recording.frame(recording.frameCount - 1);
    return `recovered ${out}: ${recording.frameCount} frames up to t = ${formatNumber(time)} s`;
  } finally {
    recording.close();
  }
}

function rescueState(folder: string): string | undefined {
  const file = join(folder, checkpointName);
  if (!existsSync(file)) return undefined;
  const { time } = readStateFile(file).state;
  const out = freeName(folder, 'state');
  renameSync(file, out);
  return `recovered ${out}: the state at t = ${formatNumber(time)} s\n  continue with: tendril run <scene> --resume ${out}`;
}

/** Existing results in the folder are kept. */
function freeName(folder: string, name: string): string {
  for (let k = 1; ; k++) {
    const file = join(folder, `${name}${k === 1 ? '' : `-${k}`}.tendril`);
    if (!existsSync(file)) return file;
  }
}
