/** `tendril groom export`: the hairs of a hairstyle for other programs. */
import { basename, resolve } from 'node:path';
import {
  encodeHair,
  exportAlembic,
  exportGlb,
  exportUsda,
  exportUsdc,
  type Footage,
  hairFootage,
} from '@tendril-sim/io';
import { createAtomicWriter, readHairstyleFile, readMotionFile, readSkinFile } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { createPercentage } from '../progress.ts';
import { formatWarning, type Terminal } from '../terminal.ts';
import { version } from '../version.ts';
import { type OutOptions, refuseExisting, withoutEnding } from './groom.ts';
import { skinOptions } from './groomScene.ts';

export interface HairExportOptions extends OutOptions {
  readonly to: 'abc' | 'usdc' | 'usda' | 'glb' | 'hair';
  readonly motion?: string;
  readonly head?: string;
  readonly animation?: string | true;
  readonly start?: number;
  readonly nodes?: number;
  readonly guidesOnly?: boolean;
  /** Which curves move. Default hairs. */
  readonly cache?: 'hairs' | 'guides';
}

/** Writes the hairs for other programs: at rest, or in motion. */
export function exportHairs(file: string, options: HairExportOptions, terminal: Terminal): number {
  const style = readHairstyleFile(file);
  const motion = options.motion === undefined ? undefined : readMotionFile(options.motion);
  if (motion && options.to === 'hair')
    throw new UsageError('a .hair file does not move; use --to abc, usdc, usda or glb');
  const out = options.out ?? `${withoutEnding(file)}.${options.to}`;
  const cachesGuides = options.cache === 'guides';
  if (cachesGuides && (options.to !== 'abc' || !motion || options.guidesOnly))
    throw new UsageError(
      '--cache guides writes hairs at rest and guides in motion: it needs --to abc and --motion, and no --guides-only',
    );
  if (options.head !== undefined && resolve(out) === resolve(options.head))
    throw new UsageError(`'${out}' is the --head itself; choose another --out`);
  refuseExisting(out, options);
  if (options.head === undefined && options.animation !== undefined)
    throw new UsageError('--animation needs the file that contains it: --head character.glb');
  const skin = options.head === undefined ? undefined : readSkinFile(options.head, skinOptions(options));
  const hairs = hairFootage(style, version, { motion, skin, nodes: options.nodes, guides: options.guidesOnly });
  const footage = cachesGuides ? hairFootage(style, version, { motion, skin, guides: true }) : hairs;
  if (options.to !== 'hair') warnOfSize(footage, options, terminal);
  const writer = createAtomicWriter(out, { overwrite: options.force === true });
  const progress = createPercentage(terminal, 1);
  const shown = { ...footage, frame: reporting(footage, (part) => progress.show(0, part)) };
  try {
    for (const chunk of chunksOf(shown, options.to, { title: basename(file), ...(cachesGuides && { hairs }) }))
      writer.append(chunk);
    progress.clear();
    writer.commit();
  } catch (error) {
    writer.abort();
    throw error;
  }
  const frames = footage.frameCount > 1 ? `, ${footage.frameCount} frames` : '';
  const guides = cachesGuides ? ` at rest, ${footage.header.rods.length} guides` : '';
  terminal.err(`wrote ${out}: ${hairs.header.rods.length} strands${guides}${frames}\n`);
  return exitCode.done;
}

/** The file in pieces. `hairs`: drawn at rest beside the guides. */
function chunksOf(
  footage: Footage,
  to: HairExportOptions['to'],
  { title, hairs }: { readonly title: string; readonly hairs?: Footage },
): Iterable<Uint8Array | string> {
  if (to === 'hair') return [hairOf(footage)];
  if (to === 'glb') return glbOf(footage);
  if (to === 'abc') return exportAlembic(footage, hairs ? { hairs } : {});
  return to === 'usdc' ? exportUsdc(footage, { title }) : gathered(exportUsda(footage, { title }));
}

/** The frames of footage; reports the part of them that has been asked for, which does not decrease where a format needs several passes. */
function reporting({ frame, frameCount }: Footage, report: (part: number) => void): Footage['frame'] {
  let most = 0;
  return (k) => {
    most = Math.max(most, k);
    report(most / frameCount);
    return frame(k);
  };
}

/** Size of files above which a warning says how to make them smaller [bytes]. */
const largeFile = 1e9;
/** Bytes per point and frame. */
const bytesPerPoint = { abc: 12, usdc: 12, glb: 12, usda: 60 } as const;

/** Warns of a file that will be very large: layers of fine curls need many points per hair. */
function warnOfSize({ header, frameCount }: Footage, options: HairExportOptions, terminal: Terminal): void {
  const { to } = options;
  if (to === 'hair' || header.rods.length === 0) return;
  const [hairs, nodes] = [header.rods.length, header.rods[0].nodeCount];
  const size = bytesPerPoint[to] * hairs * nodes * frameCount;
  if (size < largeFile) return;
  const fewer = Math.max(21, Math.ceil(nodes / 4));
  const remedies = [
    ...(options.nodes === undefined && nodes > fewer ? [`--nodes ${fewer}`] : []),
    ...(options.motion !== undefined && to !== 'abc' ? ['--to abc --cache guides'] : []),
    ...(options.motion !== undefined && to === 'abc' ? ['--cache guides, which moves the guides alone'] : []),
  ];
  const smaller = remedies.length > 0 ? `; smaller: ${remedies.join(', or ')}` : '';
  terminal.err(
    formatWarning(
      `${hairs} strands of ${nodes} points ${frameCount > 1 ? `in ${frameCount} frames ` : ''}make about ${(size / 1e9).toFixed(1)} GB${smaller}`,
    ),
  );
}

/** As lines: tubes around so many thin strands would be a hundred times larger and look the same. */
function glbOf(footage: Footage): Generator<Uint8Array> {
  try {
    return exportGlb(footage, { look: 'lines' }).chunks();
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

function* gathered(chunks: Iterable<string>): Generator<string> {
  let text = '';
  for (const chunk of chunks) {
    text += chunk;
    if (text.length < 1 << 18) continue;
    yield text;
    text = '';
  }
  yield text;
}

function hairOf({ header, frame }: Footage): Uint8Array {
  const { rods } = frame(0);
  const nodes = header.rods[0].nodeCount;
  const position = new Float64Array(3 * nodes * rods.length);
  rods.forEach(({ nodePosition }, k) => {
    position.set(nodePosition, 3 * nodes * k);
  });
  const radius = new Float64Array(nodes * rods.length).fill(header.rods[0].edgeRadius[0]);
  return encodeHair({ position, counts: new Uint32Array(rods.length).fill(nodes), radius });
}
