/** BasisCurves of a USD file. */
import { cbrt } from '@tendril-sim/core/math';
import { InputError } from '../errors.ts';
import { addBasisCurves } from './basisCurves.ts';
import { type Curves, createCurveBuilder } from './curves.ts';
import { determinant, transformAll } from './transform.ts';
import { atSample, numbersOf, openUsd, wordOf, wordsOf, worldOf } from './usdStage.ts';

/** Reads the curves of a USD file, at its nth sample. Throws InputError. */
export function readUsdCurves(bytes: Uint8Array, source: string, frame = 0): Curves {
  const { places, unit, up, warnings } = openUsd(bytes, source);
  const out = createCurveBuilder(source);
  const sampler = atSample(frame);
  for (const place of places) {
    const { prim } = place;
    if (prim.type !== 'BasisCurves') continue;
    const points = numbersOf(prim, 'points', sampler);
    const counts = numbersOf(prim, 'curveVertexCounts', sampler);
    if (!points || !counts) continue;
    const world = worldOf(place, sampler, warnings);
    const scale = cbrt(Math.abs(determinant(world)));
    const names = wordsOf(prim, 'userProperties:rods');
    addBasisCurves(out, source, {
      name: prim.name,
      ...(names?.length === counts.length && { names }),
      counts,
      position: transformAll(points, world),
      widths: numbersOf(prim, 'widths', sampler)?.map((width) => scale * width),
      basis: wordOf(prim, 'type', 'cubic') === 'linear' ? 'linear' : wordOf(prim, 'basis', 'bezier'),
      wrap: wordOf(prim, 'wrap', 'nonperiodic'),
    });
  }
  if (out.pointCount === 0) throw new InputError(source, 'there are no BasisCurves with points in it');
  return out.build({ unit, up, warnings: [...warnings] });
}
