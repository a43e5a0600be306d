/** `tendril export`: a recording as a table or as a picture. */
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { nodeTable, type RecordedRod, type Recording, type RecordingFrame } from '@tendril/io';
import { createAtomicWriter, readRecordingFile } from '@tendril/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { gravityOf, picturePins } from '../locate.ts';
import { hueCount } from '../plot/color.ts';
import { drawPicture, spreadFrames } from '../plot/picture.ts';
import { renderPng } from '../plot/png.ts';
import { formatNumber, formatWarning, type Terminal } from '../terminal.ts';

export interface ExportOptions {
  readonly to: 'csv' | 'svg' | 'png';
  readonly out?: string;
  readonly force?: boolean;
  readonly frame?: number;
}

export function exportRecording(file: string, options: ExportOptions, terminal: Terminal): number {
  const recording = readRecordingFile(file, { partial: true });
  if (!recording.complete) {
    terminal.err(
      formatWarning(`${file}: the recording was cut short; its ${recording.frameCount} complete frames are used`),
    );
  }
  const frame = options.frame === undefined ? undefined : pickFrame(recording, options.frame);
  const out = options.out ?? join(dirname(file), `${basename(file, extname(file))}.${options.to}`);
  if (existsSync(out) && !options.force)
    throw new UsageError(`'${out}' exists; choose another --out, or add --force to replace it`);
  const writer = createAtomicWriter(out, { overwrite: options.force === true });
  try {
    if (options.to === 'csv')
      for (const line of nodeTable(frame === undefined ? recording : single(recording, frame))) writer.append(line);
    else {
      const svg = drawRecording(recording, frame);
      writer.append(options.to === 'svg' ? svg : renderPng(svg));
    }
    writer.commit();
  } catch (error) {
    writer.abort();
    throw error;
  }
  terminal.err(`wrote ${out}\n`);
  return exitCode.done;
}

/** Counts from 0; negative counts from the end, so that −1 is the last. */
function pickFrame({ frameCount }: Recording, wanted: number): number {
  const index = wanted < 0 ? frameCount + wanted : wanted;
  if (index < 0 || index >= frameCount) {
    throw new UsageError(`there is no frame ${wanted}: the recording has frames 0 to ${frameCount - 1}`);
  }
  return index;
}

function single(recording: Recording, index: number): Pick<Recording, 'header' | 'frames'> {
  function* frames(): Generator<RecordingFrame> {
    yield recording.frame(index);
  }
  return { header: recording.header, frames };
}

function drawRecording(recording: Recording, only: number | undefined): string {
  const { scene, rods } = recording.header;
  if (recording.frameCount === 0) throw new UsageError('the recording has no frame to draw');
  const crowd = rods.length > hueCount;
  const indices =
    only !== undefined ? [only] : spreadFrames(recording.frameCount, crowd ? 2 : Math.min(recording.frameCount, 1000));
  const frames = indices.map((index) => recording.frame(index));
  const last = frames[frames.length - 1];
  const title =
    scene.title ??
    rods
      .map(({ id }) => id)
      .slice(0, 3)
      .join(', ');
  return drawPicture({
    title,
    subtitle: only === undefined ? undefined : `frame ${only} · t = ${formatNumber(last.time)} s`,
    rods: rods.map(({ id, closed, edgeRadius }, k) => ({
      id,
      closed,
      radius: edgeRadius,
      frames: frames.map((frame) => frame.rods[k].nodePosition),
    })),
    bodies: recording.header.bodies?.map(({ id, radius }, k) => ({
      id,
      radius,
      frames: frames.map(({ bodies }) => [
        ...Array.from(bodies?.[k].position ?? []),
        ...Array.from(bodies?.[k].orientation ?? []),
      ]),
    })),
    times: frames.map(({ time }) => time),
    pins: picturePins(scene, rods.map(withArc), last.time),
    gravity: gravityOf(scene),
  });
}

/** Arc length of the nodes, which a recording keeps as lengths of the edges. */
function withArc(rod: RecordedRod): RecordedRod & { readonly length: number; readonly nodeArc: number[] } {
  const nodeArc = [0];
  for (const length of rod.edgeLengthRest) nodeArc.push(nodeArc[nodeArc.length - 1] + length);
  return { ...rod, nodeArc, length: nodeArc[nodeArc.length - 1] };
}
