/**
 * A step in pieces: by halves, where the whole cannot be taken. A piece that fails is halved; after one that succeeds the next may
 * be as large as fits. Starts and shares are binary fractions of the step, so that pieces meet without rounding.
 */

/** Whether all of the step was taken. `attempt(start, share)` takes a piece or leaves all as it was; the first is a half. */
export function stepInPieces(halvings: number, attempt: (start: number, share: number) => boolean): boolean {
  const fine = 2 ** halvings;
  let done = 0;
  let size = fine / 2;
  while (done < fine) {
    if (size < 1) return false;
    if (attempt(done / fine, size / fine)) {
      done += size;
      while (done % (2 * size) === 0 && done + 2 * size <= fine) size *= 2;
    } else size /= 2;
  }
  return true;
}

/** What a step, or a piece of one, took; absent: none. */
export interface Taken {
  readonly ok: boolean;
  readonly iterations: number;
  readonly iterationsMax: number;
  readonly shifts?: number;
  /** Steps that it was cut into by itself, and those it took back. */
  readonly substeps?: number;
  readonly rejected?: number;
}

/** The sum of all pieces, with the whole that was tried before them; `last`: the last that was tried, which says why, if it failed. */
export interface Pieces<T extends Taken> extends Required<Taken> {
  readonly last: T;
}

/** A step in pieces after the `whole` failed, and what all of it took. Steps that pieces were cut into count where they were taken. */
export function sumPieces<T extends Taken>(
  halvings: number,
  whole: T,
  attempt: (start: number, share: number) => T,
): Pieces<T> {
  let { iterations, iterationsMax, shifts = 0, rejected = 0 } = whole;
  let substeps = 0;
  let last = whole;
  const ok = stepInPieces(halvings, (start, share) => {
    last = attempt(start, share);
    iterations += last.iterations;
    iterationsMax = Math.max(iterationsMax, last.iterationsMax);
    shifts += last.shifts ?? 0;
    rejected += last.rejected ?? 0;
    if (last.ok) substeps += last.substeps ?? 1;
    return last.ok;
  });
  return { ok, iterations, iterationsMax, shifts, substeps, rejected, last };
}
