/**
 * How finely to draw, by how long drawing takes: fewer pixels where it is slow, and of hair fewer strands; all of it once
 * more, finely, when the picture stands still.
 *
 * Drawing is over when the next frame of the page begins. A processor in place of a graphics card needs seconds for six thousand
 * hairs at two pixels a pixel, and the page answers to nothing meanwhile; so a fine picture that is expensive waits for a longer
 * rest, and has fewer pixels.
 */

export interface Quality {
  /** Pixels a pixel of the page. */
  readonly ratio: number;
  /** Part of the hairs that is drawn, 0…1. */
  readonly share: number;
  /** Smoothed time from one drawn frame to the next [ms]. */
  readonly drawTime: number;
  /** Another scene, with so many hairs that can be left out. */
  begin(hairs: number): void;
  /** A picture was drawn; `fine`: all of it. */
  drew(fine: boolean): void;
  /** At the beginning of the next frame of the page. */
  measure(): void;
  /** Time since anything changed [s]; true when the fine picture is due. */
  rest(seconds: number): boolean;
  /** Ratio of the fine picture. */
  readonly fineRatio: number;
  /** Something is drawn again. */
  wake(): void;
}

const leastRatio = 0.7;
/** Fewer hairs do not look like hair. */
const leastHairs = 800;
/** [ms] a picture */
const slow = 60;
const fast = 24;
const very = 150;
/** Hairs of the first picture where a processor draws. */
const firstHairs = 1500;
/** What a fine picture may take [ms], and how many times its duration it waits. */
const patience = 1000;
const restTimes = 1.5;
const leastFine = 1.6;

export function createQuality(software: boolean, deviceRatio: () => number, now: () => number): Quality {
  let ratio = Math.min(2, deviceRatio());
  let share = 1;
  let drawTime = 30;
  let still = 0;
  let isFine = false;
  let hasHair = false;
  let leastShare = 1;
  /** Nothing of the scene was drawn yet: shaders are compiled, buffers filled. */
  let fresh = true;
  let fineRatio = 2;
  /** What the last fine picture took [ms]; unknown at first. */
  let fineTime: number | undefined;
  let begun: { readonly at: number; readonly fine: boolean } | undefined;

  const estimate = (): number => fineTime ?? (drawTime * (fineRatio / ratio) ** 2) / share;

  /** Down at once where a picture is very slow, else by and by. */
  const follow = (spent: number): void => {
    const [before, had] = [ratio, share];
    if (hasHair && spent > very) {
      share = Math.max(leastShare, share * Math.max(0.25, very / 2 / spent));
      ratio = Math.max(Math.min(1, ratio), leastRatio);
      drawTime = 36;
    } else {
      // what compiles shaders or sleeps is no measure
      drawTime += 0.06 * (Math.min(spent, 120) - drawTime);
      if (drawTime > slow) {
        if (ratio > leastRatio || !hasHair) ratio = Math.max(leastRatio, ratio * 0.85);
        else share = Math.max(leastShare, share * 0.8);
      } else if (drawTime < fast) {
        if (share < 1) share = Math.min(1, share * 1.25);
        else ratio = Math.min(Math.min(2, deviceRatio()), ratio * 1.2);
      }
    }
    const changed = Math.abs(ratio - before) >= 0.01 || share !== had;
    if (changed) drawTime = 36;
    else ratio = before;
  };

  return {
    get ratio() {
      return ratio;
    },
    get share() {
      return share;
    },
    get drawTime() {
      return drawTime;
    },
    get fineRatio() {
      return fineRatio;
    },
    begin(hairs) {
      hasHair = hairs > leastHairs;
      leastShare = Math.min(1, leastHairs / Math.max(1, hairs));
      share = hasHair ? Math.max(leastShare, Math.min(share, software ? firstHairs / hairs : 1)) : 1;
      fresh = true;
      fineRatio = 2;
      fineTime = undefined;
      begun = undefined;
      isFine = false;
    },
    drew(fine) {
      begun = { at: now(), fine };
      if (fine) isFine = true;
      else still = 0;
    },
    measure() {
      if (!begun) return;
      const { at, fine } = begun;
      begun = undefined;
      const spent = now() - at;
      if (!fine) {
        if (!fresh) follow(spent);
        fresh = false;
        return;
      }
      fineTime = spent;
      // the next one with as many pixels as there is time for
      if (spent > patience) {
        const next = Math.max(leastFine, fineRatio * Math.sqrt(patience / spent));
        fineTime *= (next / fineRatio) ** 2;
        fineRatio = next;
      }
    },
    rest(seconds) {
      still += seconds;
      if (isFine || (!software && share === 1)) return false;
      if (estimate() > patience) fineRatio = leastFine;
      return still > Math.max(0.35, (restTimes * Math.min(estimate(), 2000)) / 1000);
    },
    wake() {
      isFine = false;
    },
  };
}
