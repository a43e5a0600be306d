/**
 * The output of `run` and `statics`: recording, energies, probes, pictures, state and result. The recording is written frame by frame; only what the
 * pictures need stays in memory.
 *
 * If the disk is full, the complete frames are kept. State and result, for which space is reserved from the start, are written before tables and
 * pictures.
 */
import { channelNames, createProbes, type Energies, type ProbeRecorder, type World } from '@tendril-sim/core';
import {
  createRecordingEncoder,
  csvLine,
  cutBroken,
  encodeState,
  formatResult,
  listOrigins,
  probeTable,
  type Result,
  recordingFrame,
  recordingHeader,
} from '@tendril-sim/io';
import { type AtomicWriter, WriteError } from '@tendril-sim/io/node';
import type { Folder } from './folder.ts';
import { gravityOf, pictureObstacles, picturePins } from './locate.ts';
import { hueCount } from './plot/color.ts';
import { drawEnergies, type EnergyPlot } from './plot/energies.ts';
import { drawPicture, type Picture } from './plot/picture.ts';
import { renderPng } from './plot/png.ts';
import { drawProbes } from './plot/probes.ts';
import { version } from './version.ts';

const energyNames = ['kinetic', 'bending', 'twisting', 'stretching', 'potential', 'total'] as const;

export type EnergyRow = Energies & { readonly time: number; readonly extra?: readonly (string | number)[] };

export interface Recorder {
  readonly probes: ProbeRecorder;
  readonly energies: readonly EnergyRow[];
  /** Time of the last frame; NaN before the first. */
  readonly lastFrame: number;
  frame(): void;
  /** Adds a row of energies; more rows than frames show what happens between them. */
  energyRow(extra?: readonly (string | number)[]): void;
  /** Saves the state and flushes the frames to disk, for a run that may be killed. */
  checkpoint(): void;
  /** Ends the recording and writes everything except result.json. Returns why files are missing, if any are. */
  finish(figures: Figures): WriteError[];
  /** After an unexpected error: saves frames and state if possible, and removes results of earlier runs. */
  salvage(): void;
  /** Removes the recording, if nothing in it is worth keeping. */
  discard(): void;
}

export interface Figures {
  readonly title: string;
  readonly subtitle: string;
  /** Columns of energies.csv beyond time and energies. */
  readonly extraColumns?: readonly string[];
  readonly parameter?: { readonly label: string; readonly unit: string; readonly column: string };
  readonly energyPlot?: Pick<EnergyPlot, 'marks' | 'bands'>;
  /** Names of the frames instead of their times. */
  readonly labels?: readonly string[];
}

export interface RecorderOptions {
  /** Parameter that orders the frames, for a branch of equilibria that turns back; default: the world's time. */
  readonly clock?: () => number;
}

export function createFolderRecorder(world: World, folder: Folder, options: RecorderOptions = {}): Recorder {
  const clock = options.clock ?? (() => world.time);
  const probes = createProbes(world);
  const recording = openRecording(world, folder);
  const energies: EnergyRow[] = [];
  const kept = createKeptFrames(world);
  let lastFrame = Number.NaN;
  return {
    probes,
    energies,
    get lastFrame() {
      return lastFrame;
    },
    frame() {
      recording.append(clock());
      lastFrame = clock();
      kept.add(clock());
      probes.observe(world);
    },
    energyRow(extra) {
      if (energies.at(-1)?.time === clock()) return;
      energies.push({ ...world.energies(), time: clock(), extra });
    },
    checkpoint() {
      folder.checkpoint(encodeState(world.save(), { scene: world.scene, version }));
      recording.flush();
    },
    finish(figures) {
      folder.reserve(0);
      const failures = writeAll([() => saveState(world, folder), recording.close]);
      const picture = (): string => drawPicture(kept.picture(figures));
      // the following files must leave space for the result
      failures.push(
        ...writeUntilFailure([
          () => keepRoom(folder, resultSize(world)),
          () => folder.write('energies.csv', energyLines(energies, figures)),
          () => probes.series.length > 0 && folder.write('probes.csv', probeTable(probes.series)),
          () => energies.length > 1 && folder.write('energies.svg', energyFigure(energies, figures)),
          () => hasCurves(probes) && folder.write('probes.svg', probeFigure(probes, figures)),
          () => folder.write('picture.svg', picture()),
          () => folder.write('picture.png', renderPng(picture())),
        ]),
      );
      folder.reserve(0);
      return failures;
    },
    discard: recording.discard,
    salvage() {
      try {
        folder.reserve(0);
        saveState(world, folder);
        recording.close();
        folder.finish();
      } catch {
        // report the original error; frames stay in the temporary file
      }
    },
  };
}

/** The file recording.tendril while it is written. */
interface OpenRecording {
  /** Appends the current state as the frame of this time; a frame that does not fit is left out, and the error thrown. */
  append(time: number): void;
  flush(): void;
  /** With the end mark if it fits; a recording without it is read up to its last frame. */
  readonly close: () => void;
  readonly discard: () => void;
}

function openRecording(world: World, folder: Folder): OpenRecording {
  const encoder = createRecordingEncoder(recordingHeader(world, { version, channels: channelNames }));
  const writer: AtomicWriter = folder.open('recording.tendril');
  try {
    folder.reserve(reserveSize(world));
    writer.append(encoder.encodeHeader());
  } catch (error) {
    writer.abort();
    throw error;
  }
  let isOpen = true;
  return {
    append(time) {
      const frame = encoder.encodeFrame({ ...recordingFrame(world, channelNames), time });
      try {
        writer.append(frame);
      } catch (error) {
        encoder.dropFrame();
        throw error;
      }
    },
    flush: () => writer.flush(),
    close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        writer.append(encoder.encodeFooter());
      } catch (error) {
        if (!(error instanceof WriteError)) throw error;
      }
      writer.commit();
    },
    discard: () => writer.abort(),
  };
}

/** Why files could not be written; other errors are thrown. */
function writeAll(writes: readonly (() => unknown)[]): WriteError[] {
  return writes.flatMap((write) => writeUntilFailure([write]));
}

function writeUntilFailure(writes: readonly (() => unknown)[]): WriteError[] {
  try {
    for (const write of writes) write();
    return [];
  } catch (error) {
    if (error instanceof WriteError) return [error];
    throw error;
  }
}

function keepRoom(folder: Folder, bytes: number): void {
  try {
    folder.reserve(bytes);
  } catch (error) {
    throw new WriteError(folder.path, 'the disk is nearly full: tables and pictures are left out', { cause: error });
  }
}

/** Disk space for the state and the result of a world [bytes]; for very large ones only a part. */
function reserveSize(world: World): number {
  const state = encodeState(world.save(), { scene: world.scene, version }).length;
  return Math.min(state, 64 * 2 ** 20) + resultSize(world);
}

/** Approximate length of result.json [bytes]: it has positions, velocities and frames as text. */
function resultSize(world: World): number {
  const nodes = world.rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
  return Math.min(700 * nodes + 20_000, 64 * 2 ** 20);
}

export function saveState(world: World, folder: Folder): void {
  folder.write('state.tendril', encodeState(world.save(), { scene: world.scene, version }));
}

/** Writes result.json last: if it exists, the output is complete. Returns its text. */
export function writeResult(result: Result, folder: Folder): string {
  const content = formatResult(result);
  folder.write('result.json', content);
  folder.finish();
  return content;
}

function* energyLines(rows: readonly EnergyRow[], { parameter, extraColumns = [] }: Figures): Generator<string> {
  // only rods with laws of materials have it
  const hasHeat = rows.some(({ dissipated }) => dissipated !== undefined);
  const names = hasHeat ? ([...energyNames, 'dissipated'] as const) : energyNames;
  yield csvLine([parameter?.column ?? 'time', ...names, ...extraColumns]);
  for (const row of rows) yield csvLine([row.time, ...names.map((name) => row[name] ?? ''), ...(row.extra ?? [])]);
}

function energyFigure(rows: readonly EnergyRow[], figures: Figures): string {
  const column = (name: (typeof energyNames)[number]): number[] => rows.map((row) => row[name]);
  return drawEnergies({
    title: figures.title,
    subtitle: figures.subtitle,
    x: rows.map(({ time }) => time),
    xLabel: figures.parameter?.label,
    xUnit: figures.parameter?.unit,
    energies: {
      kinetic: column('kinetic'),
      bending: column('bending'),
      twisting: column('twisting'),
      stretching: column('stretching'),
      potential: column('potential'),
      total: column('total'),
    },
    ...figures.energyPlot,
  });
}

/** A curve needs two instants. */
const hasCurves = ({ series }: ProbeRecorder): boolean => (series[0]?.time.length ?? 0) > 1;

function probeFigure({ series }: ProbeRecorder, { title, subtitle, parameter }: Figures): string {
  return drawProbes({ title, subtitle, probes: series, xLabel: parameter?.label, xUnit: parameter?.unit });
}

/** Frames in memory for the picture: all of a few rods (thinned when there are very many), first and last of a crowd. */
function createKeptFrames(world: World): { add(time: number): void; picture(figures: Figures): Picture } {
  const limit = 1000;
  const crowd = world.rods.length > hueCount;
  let frames: KeptFrame[] = [];
  let stride = 1;
  let seen = 0;
  let latest: KeptFrame | undefined;
  let directors: readonly Float64Array[] = [];
  return {
    add(time) {
      latest = {
        time,
        positions: world.samples.map(({ nodePosition }) => nodePosition.slice()),
        directors: world.samples.map(({ edgeDirector }, k) => world.rods[k].strength && edgeDirector.slice()),
        bodies: world.bodies.map(({ pose }) => Float64Array.of(...pose.position, ...pose.orientation)),
      };
      directors = world.samples.map(({ edgeDirector }) => edgeDirector.slice());
      if (seen++ % stride !== 0 || (crowd && frames.length > 0)) return;
      frames.push(latest);
      if (frames.length > limit) {
        frames = frames.filter((_, k) => k % 2 === 0);
        stride *= 2;
      }
    },
    picture(figures) {
      if (latest && frames.at(-1) !== latest) frames.push(latest);
      return composePicture(world, frames, directors, figures);
    },
  };
}

interface KeptFrame {
  readonly time: number;
  /** Of each rod, and poses of each body. */
  readonly positions: readonly Float64Array[];
  /** Of rods that can break: where they have. */
  readonly directors?: readonly (Float64Array | undefined)[];
  readonly bodies: readonly Float64Array[];
}

/** The picture of kept frames. `directors`: of each rod in the last of them. */
function composePicture(
  world: World,
  frames: readonly KeptFrame[],
  directors: readonly (Float64Array | undefined)[],
  figures: Figures,
): Picture {
  const header = recordingHeader(world, { version });
  const energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
  const { footage, find } = cutBroken({
    header,
    frameCount: frames.length,
    frame: (k) => ({
      time: frames[k].time,
      energies,
      rods: frames[k].positions.map((nodePosition, r) => ({
        nodePosition,
        edgeDirector:
          frames[k].directors?.[r] ?? directors[r] ?? new Float64Array(3 * header.rods[r].edgeCount).fill(1),
      })),
    }),
  });
  const { rods } = footage.header;
  const hues = listOrigins(rods);
  const shown = frames.map((_, k) => footage.frame(k));
  return {
    title: figures.title,
    subtitle: figures.subtitle,
    rods: rods.map(({ id, closed, edgeRadius, section }, k) => ({
      id,
      hue: hues[k],
      closed,
      radius: edgeRadius,
      section,
      director: directors.includes(undefined) ? undefined : shown.at(-1)?.rods[k].edgeDirector,
      frames: shown.map((frame) => frame.rods[k].nodePosition),
    })),
    bodies: header.bodies?.map(({ id, radius }, k) => ({ id, radius, frames: frames.map(({ bodies }) => bodies[k]) })),
    obstacles: pictureObstacles(header, {
      time: world.time,
      bodies: world.bodies.map(({ pose: { position, orientation } }) => ({ position, orientation })),
    }),
    times: frames.map(({ time }) => time),
    timeLabel: figures.parameter?.label,
    timeUnit: figures.parameter?.unit,
    labels: figures.labels,
    pins: picturePins(world.scene, world.rods, world.time).map((pin) => ({ ...pin, ...find(pin.rod, pin.node) })),
    gravity: gravityOf(world.scene),
  };
}
