/** Reads the banded matrix of a rod for equilibria of linked rods (RestRod): `der`, `cosserat`. */
import { BAND_WIDTH, type BorderedBand, readEntry } from '../linalg/bandMatrix.ts';
import type { RestRod } from '../model.ts';

/** Indices and entries of the matrix: the band, and for a ring the rows of its border. */
export function readBandEntries(matrix: BorderedBand, size: number): Pick<RestRod, 'pairs' | 'readMatrix'> {
  const pairs: [number, number][] = [];
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) if (i - j <= BAND_WIDTH || j < matrix.borderSize) pairs.push([i, j]);
  return {
    pairs,
    readMatrix(out) {
      pairs.forEach(([i, j], k) => {
        out[k] = readEntry(matrix, i, j);
      });
    },
  };
}
