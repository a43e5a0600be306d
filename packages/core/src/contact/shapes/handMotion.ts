/** Displacement of a collider by hand, as a user drags it in the studio: nine numbers, which threads share. */

/** A displacement at constant velocity from one place to the next: from, to, start and end time, and whether it was ever used. */
const [TO, BEGIN, END, USED] = [3, 6, 7, 8];
export const HAND = 9;

function partOfHand(hand: Float64Array, t: number): number {
  return t >= hand[END] ? 1 : t <= hand[BEGIN] ? 0 : (t - hand[BEGIN]) / (hand[END] - hand[BEGIN]);
}

export function addHand(out: Float64Array, hand: Float64Array, t: number): void {
  if (!hand[USED]) return;
  const u = partOfHand(hand, t);
  for (let k = 0; k < 3; k++) out[k] += hand[k] + u * (hand[TO + k] - hand[k]);
}

export function moveHand(hand: Float64Array, offset: ArrayLike<number>, t: number, seconds: number): void {
  const u = partOfHand(hand, t);
  for (let k = 0; k < 3; k++) {
    hand[k] += u * (hand[TO + k] - hand[k]);
    hand[TO + k] = offset[k];
  }
  hand[BEGIN] = t;
  hand[END] = t + Math.max(0, seconds);
  hand[USED] = 1;
}

/** True if the collider was ever moved by hand. */
export function isMovedByHand(hand: Float64Array): boolean {
  return hand[USED] !== 0;
}
