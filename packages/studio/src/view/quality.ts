/**
 * How finely to draw, by how long drawing takes: fewer pixels where it is slow, and of hair fewer strands. When the picture stands still,
 * the mean of several fine pictures is shown.
 *
 * Drawing is over when the next frame of the page begins. A processor in place of a graphics card needs a second for ten thousand
 * hairs, and the page answers to nothing meanwhile; so a fine picture that is expensive waits for a longer rest, and there are fewer.
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
  /** Time since anything changed [s]; true when another fine picture is due. */
  rest(seconds: number): boolean;
  /** Pixels per pixel of the page in fine pictures. */
  readonly fineRatio: number;
  /** Fine pictures, of which the mean is shown, at most. */
  readonly passes: number;
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
/** What fine pictures may take together [ms] until the next ones come slowly, so that the processor has time for other things. */
const patience = 1000;
const mostPasses = { card: 32, processor: 16 } as const;
/** How many times its duration a fine picture waits. */
const restTimes = 1.5;

export function createQuality(software: boolean, deviceRatio: () => number, now: () => number): Quality {
  let ratio = Math.min(2, deviceRatio());
  let share = 1;
  let drawTime = 30;
  let still = 0;
  /** Fine pictures so far, and what they took [ms]. */
  let fine = 0;
  let fineSpent = 0;
  const passes = software ? mostPasses.processor : mostPasses.card;
  let hasHair = false;
  let leastShare = 1;
  /** Nothing of the scene was drawn yet: shaders are compiled, buffers filled. */
  let fresh = true;
  let begun: { readonly at: number; readonly isFine: boolean } | undefined;

  const finestRatio = (): number => Math.min(2, deviceRatio());
  /** Of a fine picture [ms]. */
  const estimate = (): number => (drawTime * (finestRatio() / ratio) ** 2) / share;

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
      return finestRatio();
    },
    passes,
    begin(hairs) {
      hasHair = hairs > leastHairs;
      leastShare = Math.min(1, leastHairs / Math.max(1, hairs));
      share = hasHair ? Math.max(leastShare, Math.min(share, software ? firstHairs / hairs : 1)) : 1;
      fresh = true;
      begun = undefined;
      fine = 0;
      fineSpent = 0;
    },
    drew(isFine) {
      begun = { at: now(), isFine };
      if (isFine) fine++;
      still = 0;
    },
    measure() {
      if (!begun) return;
      const { at, isFine } = begun;
      begun = undefined;
      const spent = now() - at;
      if (isFine) {
        fineSpent += spent;
        return;
      }
      if (!fresh) follow(spent);
      fresh = false;
    },
    rest(seconds) {
      still += seconds;
      if (fine >= passes) return false;
      if (fine === 0) return still > Math.max(0.35, (restTimes * Math.min(estimate(), 2000)) / 1000);
      return fineSpent < patience || still > (2 * fineSpent) / fine / 1000;
    },
    wake() {
      fine = 0;
      fineSpent = 0;
    },
  };
}
