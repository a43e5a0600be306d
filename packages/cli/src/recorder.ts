/**
 * What `run` and `statics` leave behind: recording, energies, probes, pictures, state and result. The recording goes
 * to disk frame by frame; only what the pictures need stays in memory.
 */

import { join } from 'node:path';
import { createProbes, type Energies, type ProbeRecorder, type World } from '@tendril/core';
import {
  createRecordingEncoder,
  csvLine,
  formatResult,
  probeTable,
  type Result,
  recordingFrame,
  recordingHeader,
} from '@tendril/io';
import { type AtomicWriter, writeStateFile } from '@tendril/io/node';
import type { Folder } from './folder.ts';
import { gravityOf, pictureObstacles, picturePins } from './locate.ts';
import { hueCount } from './plot/color.ts';
import { drawEnergies, type EnergyPlot } from './plot/energies.ts';
import { drawPicture, type Picture } from './plot/picture.ts';
import { renderPng } from './plot/png.ts';
import { version } from './version.ts';

/** Recorded along the rods with every frame: what pictures are coloured by, and what cannot be had from positions alone. */
const channels = ['curvature', 'twist', 'tension'] as const;

const energyNames = ['kinetic', 'bending', 'twisting', 'stretching', 'potential', 'total'] as const;

export type EnergyRow = Energies & { readonly time: number; readonly extra?: readonly (string | number)[] };

export interface Recorder {
  readonly probes: ProbeRecorder;
  readonly energies: readonly EnergyRow[];
  /** Time of the last frame; NaN before the first. */
  readonly lastFrame: number;
  frame(): void;
  /** A row of energies; more rows than frames show what happens between them. */
  energyRow(extra?: readonly (string | number)[]): void;
  /** Ends the recording and writes all but result.json. */
  finish(figures: Figures): void;
  /** After an unexpected error: keep what was recorded if that is still possible. */
  salvage(): void;
}

export interface Figures {
  readonly title: string;
  readonly subtitle: string;
  /** Columns of energies.csv beyond time and energies. */
  readonly extraColumns?: readonly string[];
  readonly parameter?: { readonly label: string; readonly unit: string; readonly column: string };
  readonly energyPlot?: Pick<EnergyPlot, 'marks' | 'bands'>;
  /** Names of the frames in place of their times. */
  readonly labels?: readonly string[];
}

export function createRecorder(world: World, folder: Folder): Recorder {
  const probes = createProbes(world);
  const encoder = createRecordingEncoder(recordingHeader(world, { version, channels }));
  const writer: AtomicWriter = folder.open('recording.tendril');
  writer.append(encoder.encodeHeader());
  const energies: EnergyRow[] = [];
  const kept = createKeptFrames(world);
  let lastFrame = Number.NaN;
  let open = true;

  const close = (): void => {
    if (!open) return;
    open = false;
    writer.append(encoder.encodeFooter());
    writer.commit();
  };

  return {
    probes,
    energies,
    get lastFrame() {
      return lastFrame;
    },
    frame() {
      writer.append(encoder.encodeFrame(recordingFrame(world, channels)));
      lastFrame = world.time;
      kept.add();
      probes.observe(world);
    },
    energyRow(extra) {
      if (energies.at(-1)?.time === world.time) return;
      energies.push({ ...world.energies(), time: world.time, extra });
    },
    finish(figures) {
      close();
      folder.write('energies.csv', energyLines(energies, figures));
      if (probes.series.length > 0) folder.write('probes.csv', probeTable(probes.series));
      saveState(world, folder);
      if (energies.length > 1) folder.write('energies.svg', energyFigure(energies, figures));
      const svg = drawPicture(kept.picture(figures));
      folder.write('picture.svg', svg);
      folder.write('picture.png', renderPng(svg));
    },
    salvage() {
      try {
        close();
      } catch {
        // the error that brought us here is the one to report
        writer.abort();
      }
    },
  };
}

export function saveState(world: World, folder: Folder): void {
  // a new name in a fresh folder, or one that --force allows to replace: the folder has decided that already
  const name = 'state.tendril';
  writeStateFile(join(folder.path, name), world.save(), { scene: world.scene, version }, { overwrite: true });
  folder.note(name);
}

/** result.json, last: its presence says that the rest is there. Returns its text. */
export function writeResult(result: Result, folder: Folder): string {
  const content = formatResult(result);
  folder.write('result.json', content);
  folder.finish();
  return content;
}

function* energyLines(rows: readonly EnergyRow[], { parameter, extraColumns = [] }: Figures): Generator<string> {
  yield csvLine([parameter?.column ?? 'time', ...energyNames, ...extraColumns]);
  for (const row of rows) yield csvLine([row.time, ...energyNames.map((name) => row[name]), ...(row.extra ?? [])]);
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

/** Frames in memory for the picture: all of a few rods (thinned when there are very many), first and last of a crowd. */
function createKeptFrames(world: World): { add(): void; picture(figures: Figures): Picture } {
  const limit = 1000;
  const crowd = world.rods.length > hueCount;
  let times: number[] = [];
  let frames: Float64Array[][] = [];
  let poses: Float64Array[][] = [];
  let stride = 1;
  let seen = 0;
  type Kept = { time: number; positions: Float64Array[]; bodies: Float64Array[] };
  let latest: Kept | undefined;
  const push = ({ time, positions, bodies }: Kept): void => {
    times.push(time);
    frames.push(positions);
    poses.push(bodies);
  };
  return {
    add() {
      latest = {
        time: world.time,
        positions: world.samples.map(({ nodePosition }) => nodePosition.slice()),
        bodies: world.bodies.map(({ pose }) => Float64Array.of(...pose.position, ...pose.orientation)),
      };
      if (seen++ % stride !== 0 || (crowd && frames.length > 0)) return;
      push(latest);
      if (frames.length > limit) {
        times = times.filter((_, k) => k % 2 === 0);
        frames = frames.filter((_, k) => k % 2 === 0);
        poses = poses.filter((_, k) => k % 2 === 0);
        stride *= 2;
      }
    },
    picture(figures) {
      if (latest && frames.at(-1) !== latest.positions) push(latest);
      const header = recordingHeader(world, { version });
      return {
        title: figures.title,
        subtitle: figures.subtitle,
        rods: world.rods.map(({ id, closed, edgeRadius }, k) => ({
          id,
          closed,
          radius: edgeRadius,
          frames: frames.map((positions) => positions[k]),
        })),
        bodies: header.bodies?.map(({ id, radius }, k) => ({
          id,
          radius,
          frames: poses.map((pose) => pose[k]),
        })),
        obstacles: pictureObstacles(header, {
          time: world.time,
          bodies: world.bodies.map(({ pose: { position, orientation } }) => ({ position, orientation })),
        }),
        times,
        timeLabel: figures.parameter?.label,
        timeUnit: figures.parameter?.unit,
        labels: figures.labels,
        pins: picturePins(world.scene, world.rods, world.time),
        gravity: gravityOf(world.scene),
      };
    },
  };
}
