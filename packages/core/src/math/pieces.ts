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
