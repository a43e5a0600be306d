/** Reads curves from any supported file format, chosen by the file's name and checked against its content. */
import { InputError } from '../errors.ts';
import { readAlembicCurves } from './alembic.ts';
import { readCsvCurves } from './csv.ts';
import { type Curves, curveFileLimit, type Placement, placeCurves } from './curves.ts';
import { readGltfCurves } from './gltf.ts';
import { readHair } from './hair.ts';
import { readObjCurves } from './obj.ts';
import { readTfx } from './tfx.ts';
import { readUsdCurves } from './usdCurves.ts';

/** Unit, axes and frame of a file of curves. */
export interface CurveOptions extends Placement {
  /** For animated files: the nth sample, from 0; negative counts from the end. Default 0. */
  readonly frame?: number;
}

type Reader = (bytes: Uint8Array, source: string, frame: number) => Curves;

const readers: Readonly<Record<string, Reader>> = {
  usda: readUsdCurves,
  usd: readUsdCurves,
  usdc: readUsdCurves,
  usdz: readUsdCurves,
  abc: readAlembicCurves,
  obj: readObjCurves,
  hair: readHair,
  tfx: readTfx,
  glb: readGltfCurves,
  gltf: readGltfCurves,
  csv: readCsvCurves,
  txt: readCsvCurves,
  tsv: readCsvCurves,
};

/** Curves in metres with z up. `source` is the name of the file, whose extension gives the format. */
export function readCurves(bytes: Uint8Array, source: string, options: CurveOptions = {}): Curves {
  const extension = /\.([^./\\]+)$/.exec(source)?.[1].toLowerCase() ?? '';
  const reader = Object.hasOwn(readers, extension) ? readers[extension] : undefined;
  if (!reader)
    throw new InputError(
      source,
      `curves are read from .usda, .usdc, .usdz, .abc, .obj, .hair, .tfx, .glb, .gltf and .csv files; '${extension || source}' is none of them`,
    );
  if (bytes.length === 0) throw new InputError(source, 'the file is empty');
  if (bytes.length > curveFileLimit)
    throw new InputError(source, `the file has ${bytes.length} bytes; ${curveFileLimit} are read at most`);
  return placeCurves(reader(bytes, source, options.frame ?? 0), source, options);
}
