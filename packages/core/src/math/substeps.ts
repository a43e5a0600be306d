/**
 * A step that is split into substeps: halved where the whole fails. A substep that fails is halved again; after a substep that succeeds, the next may
 * be as large as fits.
 *
 * The end of a substep, computed as t + dt, always has the same bits: a substep ends exactly where the next one begins, and the
 * last ends at the end of the step. A difference of nearby numbers has no rounding error [Sterbenz], so t + (end − t) is `end`.
 */
import { log2 } from './rounded/index.ts';

/** A time span: from t to t + dt [s]. */
export interface Span {
  readonly t: number;
  readonly dt: number;
}

/** The span from t to `end`: t + dt equals `end` in every bit, except for rare ties if t is below half of it. */
export function spanTo(t: number, end: number): Span {
  return { t, dt: end - t };
}

/** Step length for a two-step scheme: `last` if dt differs from it only by rounding of times, so that the scheme can continue from its memory. */
export function lengthLike(last: number, dt: number): number {
  return Math.abs(dt - last) <= 1e-6 * dt ? last : dt;
}

/**
 * Halvings that are left for a step of dt inside a step of the scene. World, islands and rods halve their steps one inside the other; together
 * they never go below step/2^halvings.
 */
export function halvingsLeft({ step, halvings = 8 }: { step?: number; halvings?: number } = {}, dt: number): number {
  if (step === undefined) return halvings;
  return Math.min(halvings, Math.max(0, halvings - Math.round(log2(step / dt))));
}

/** Steps a substep, a fraction `share` of the step; on failure leaves the state unchanged. */
export type TakeSubstep<T> = (t: number, dt: number, share: number) => T;

/** Steps in substeps, halved down to 2^-halvings. Returns true if the whole step succeeded. */
export function stepInSubsteps({ t, dt }: Span, halvings: number, takeSubstep: TakeSubstep<boolean>): boolean {
  const fine = 2 ** halvings;
  let now = t;
  let done = 0;
  let size = fine / 2;
  while (done < fine) {
    if (size < 1) return false;
    const substep = spanTo(now, t + dt * ((done + size) / fine));
    if (takeSubstep(substep.t, substep.dt, size / fine)) {
      now += substep.dt;
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
}

export type Combined = Required<Taken>;

/** Cost of two parts of a step: one `after` the other, or `beside` it over the same time, where their substeps coincide. */
export function combineTaken(a: Taken, b: Taken, how: 'after' | 'beside'): Combined {
  const [first, second] = [a.substeps ?? 1, b.substeps ?? 1];
  return {
    ok: a.ok && b.ok,
    iterations: a.iterations + b.iterations,
    iterationsMax: Math.max(a.iterationsMax, b.iterationsMax),
    shifts: (a.shifts ?? 0) + (b.shifts ?? 0),
    substeps: how === 'after' ? first + second : Math.max(first, second),
    rejected: (a.rejected ?? 0) + (b.rejected ?? 0),
  };
}

/** Cost of all substeps, and of the whole that was tried before them. `last`: the last substep that was tried, with the reason if it failed. */
export type Substeps<T extends Taken> = Combined & { readonly last: T };

/** Repeats a step in substeps after the `whole` failed. The count `substeps` has only those that succeeded. */
export function sumSubsteps<T extends Taken>(
  span: Span,
  halvings: number,
  whole: T,
  takeSubstep: TakeSubstep<T>,
): Substeps<T> {
  let sum = combineTaken(
    { ...whole, substeps: 0 },
    { ok: true, iterations: 0, iterationsMax: 0, substeps: 0 },
    'after',
  );
  let last = whole;
  const ok = stepInSubsteps(span, halvings, (t, dt, share) => {
    last = takeSubstep(t, dt, share);
    sum = combineTaken(sum, last.ok ? last : { ...last, substeps: 0 }, 'after');
    return last.ok;
  });
  return { ...sum, ok, last };
}
