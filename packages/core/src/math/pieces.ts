/**
 * A step in pieces: halved where the whole fails. A piece that fails is halved again; after a piece that succeeds, the next may
 * be as large as fits. Starts and shares are binary fractions of the step, so that pieces meet without rounding.
 */

/** Whether the whole step was taken. `attempt(start, share)` takes a piece or leaves the state unchanged; the first is a half. */
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

/** Cost of a step, or of a part of one; absent: none. */
export interface Taken {
  readonly ok: boolean;
  readonly iterations: number;
  readonly iterationsMax: number;
  readonly shifts?: number;
  /** Substeps that it was split into, default 1, and steps that error control rejected. */
  readonly substeps?: number;
  readonly rejected?: number;
  /** Largest distance of a constraint from its goal [m]; absent: no constraints. */
  readonly violation?: number;
}

export type Combined = Required<Omit<Taken, 'violation'>> & Pick<Taken, 'violation'>;

/** Cost of two parts of a step: one `after` the other, or `beside` it over the same time, where their substeps coincide. */
export function combineTaken(a: Taken, b: Taken, how: 'after' | 'beside'): Combined {
  const [first, second] = [a.substeps ?? 1, b.substeps ?? 1];
  const violation =
    a.violation === undefined || b.violation === undefined
      ? (a.violation ?? b.violation)
      : Math.max(a.violation, b.violation);
  return {
    ok: a.ok && b.ok,
    iterations: a.iterations + b.iterations,
    iterationsMax: Math.max(a.iterationsMax, b.iterationsMax),
    shifts: (a.shifts ?? 0) + (b.shifts ?? 0),
    substeps: how === 'after' ? first + second : Math.max(first, second),
    rejected: (a.rejected ?? 0) + (b.rejected ?? 0),
    ...(violation !== undefined && { violation }),
  };
}

/** Cost of all pieces, and of the whole that was tried before them. `last`: the last piece that was tried, with the reason if it failed. */
export type Pieces<T extends Taken> = Combined & { readonly last: T };

/** Takes a step in pieces after the `whole` failed. Only pieces that succeeded count as substeps. */
export function sumPieces<T extends Taken>(
  halvings: number,
  whole: T,
  attempt: (start: number, share: number) => T,
): Pieces<T> {
  const { violation: _, ...failed } = whole;
  let sum = combineTaken(
    { ...failed, substeps: 0 },
    { ok: true, iterations: 0, iterationsMax: 0, substeps: 0 },
    'after',
  );
  let last = whole;
  const ok = stepInPieces(halvings, (start, share) => {
    last = attempt(start, share);
    sum = combineTaken(sum, last.ok ? last : { ...last, substeps: 0, violation: undefined }, 'after');
    return last.ok;
  });
  return { ...sum, ok, last };
}
