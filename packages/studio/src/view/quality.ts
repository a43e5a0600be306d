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

interface QualityState {
  ratio: number;
  share: number;
  drawTime: number;
  /** Time since anything changed [s]. */
  still: number;
  /** Fine pictures so far, and the time that they took [ms]. */
  fine: number;
  fineSpent: number;
  hasHair: boolean;
  leastShare: number;
  /** Nothing of the scene was drawn yet: shaders are compiled, buffers filled. */
  isFresh: boolean;
  begun: { readonly at: number; readonly isFine: boolean } | undefined;
}

/** Adapts share and ratio to the time of a picture [ms]: at once if it is very slow, otherwise gradually. */
function followTime(state: QualityState, spent: number, finestRatio: number): void {
  const { ratio: before, share: had, hasHair, leastShare } = state;
  if (hasHair && spent > very) {
    state.share = Math.max(leastShare, had * Math.max(0.25, very / 2 / spent));
    state.ratio = Math.max(Math.min(1, before), leastRatio);
    state.drawTime = 36;
  } else {
    // times with compiled shaders or a sleeping page are no measure
    state.drawTime += 0.06 * (Math.min(spent, 120) - state.drawTime);
    if (state.drawTime > slow) {
      if (before > leastRatio || !hasHair) state.ratio = Math.max(leastRatio, before * 0.85);
      else state.share = Math.max(leastShare, had * 0.8);
    } else if (state.drawTime < fast) {
      if (had < 1) state.share = Math.min(1, had * 1.25);
      else state.ratio = Math.min(finestRatio, before * 1.2);
    }
  }
  const hasChanged = Math.abs(state.ratio - before) >= 0.01 || state.share !== had;
  if (hasChanged) state.drawTime = 36;
  else state.ratio = before;
}

/** Counts the time of the picture that was begun, `now` [ms] being its end. */
function measurePicture(state: QualityState, now: number, finestRatio: number): void {
  if (!state.begun) return;
  const { at, isFine } = state.begun;
  state.begun = undefined;
  if (isFine) {
    state.fineSpent += now - at;
    return;
  }
  if (!state.isFresh) followTime(state, now - at, finestRatio);
  state.isFresh = false;
}

export function createQuality(software: boolean, deviceRatio: () => number, now: () => number): Quality {
  const finestRatio = (): number => Math.min(2, deviceRatio());
  const passes = software ? mostPasses.processor : mostPasses.card;
  const state: QualityState = {
    ratio: finestRatio(),
    share: 1,
    drawTime: 30,
    still: 0,
    fine: 0,
    fineSpent: 0,
    hasHair: false,
    leastShare: 1,
    isFresh: true,
    begun: undefined,
  };
  return {
    get ratio() {
      return state.ratio;
    },
    get share() {
      return state.share;
    },
    get drawTime() {
      return state.drawTime;
    },
    get fineRatio() {
      return finestRatio();
    },
    passes,
    begin(hairs) {
      state.hasHair = hairs > leastHairs;
      state.leastShare = Math.min(1, leastHairs / Math.max(1, hairs));
      const first = Math.min(state.share, software ? firstHairs / hairs : 1);
      state.share = state.hasHair ? Math.max(state.leastShare, first) : 1;
      Object.assign(state, { isFresh: true, begun: undefined, fine: 0, fineSpent: 0 });
    },
    drew(isFine) {
      state.begun = { at: now(), isFine };
      if (isFine) state.fine++;
      state.still = 0;
    },
    measure: () => measurePicture(state, now(), finestRatio()),
    rest(seconds) {
      state.still += seconds;
      const { fine, fineSpent, still, drawTime, ratio, share } = state;
      if (fine >= passes) return false;
      // time of a fine picture [ms], estimated
      const estimate = (drawTime * (finestRatio() / ratio) ** 2) / share;
      if (fine === 0) return still > Math.max(0.35, (restTimes * Math.min(estimate, 2000)) / 1000);
      return fineSpent < patience || still > (2 * fineSpent) / fine / 1000;
    },
    wake() {
      state.fine = 0;
      state.fineSpent = 0;
    },
  };
}

/** Pixels per pixel of the page, where pictures are to cost little. */
const coarseRatio = 0.35;

/** Never more than the least: for machines that have better things to do, whatever a picture takes. */
export function createLowQuality(): Quality {
  let share = 1;
  return {
    ratio: coarseRatio,
    get share() {
      return share;
    },
    drawTime: 0,
    fineRatio: coarseRatio,
    passes: 1,
    begin(hairs) {
      share = Math.min(1, leastHairs / Math.max(1, hairs));
    },
    drew() {},
    measure() {},
    rest: () => false,
    wake() {},
  };
}
