/**
 * A ball of hair, shaken to and fro on the GPU: 25,000 hairs of 50 elements, the motion of the case `hair-ball` with a second to settle. Wanted: a tenth of
 * real time.
 */
import {
  type ContactCounts,
  createGpuBatch,
  type Device,
  describeCurve,
  type GpuBatch,
  type GpuStep,
  sphereObstacle,
  type Vector,
} from '@tendril-sim/core/batch';
import { medianOf } from './gpuMeasure.ts';

const HEAD = 0.05;
const HAIR = 30e-6;
const LENGTH = 0.08;
const EDGES = 50;
/** At which hairs meet [m]. */
const CONTACT_RADIUS = 3e-4;
const section = { a: HAIR, b: HAIR, youngModulus: 3.58e9, shearModulus: 3.58e9 / 2.8, density: 1100 };
/** Time to settle [s], in the first two thirds of which gravity grows; all of the motion. */
const SETTLE = 1;
const DURATION = 3;

export interface HairBallRun {
  readonly hairs: number;
  readonly realTime: boolean;
  /** Edge of a cell of the search [m]: hair moves by several of its edges in a step. */
  readonly cell: number;
  /** Steps per second. */
  readonly rate: number;
  /** Iterations of contact at most. */
  readonly most: number;
  /** Seconds of computation after which the run ends. */
  readonly patience: number;
  /** Called about 30 times per simulated second. */
  readonly record?: (t: number, batch: GpuBatch) => Promise<void>;
}

/** Displacement under accelerations of 30, 0, −60, 0, 30 m/s² for a tenth of a second each, as in the case [m]. */
function shake(t: number): number {
  let [x, v, left] = [0, 0, t];
  for (const a of [30, 0, -60, 0, 30]) {
    const dt = Math.min(0.1, Math.max(0, left));
    x += v * dt + 0.5 * a * dt * dt;
    v += a * dt;
    left -= 0.1;
  }
  return x;
}

/** Displacement of the ball [m]: shaken along x for half a second, at rest for half a second, then the same along y. */
function ballAt(t: number): Vector {
  return [shake(t - SETTLE), shake(t - SETTLE - 1), 0];
}

function hairsOf(count: number): ReturnType<typeof describeCurve>[] {
  const contact = {
    radius: new Float32Array(EDGES).fill(HAIR),
    pairRadius: new Float32Array(EDGES).fill(CONTACT_RADIUS),
    spared: [1],
  };
  const along = Array.from({ length: count }, (_, k) => {
    const z = 1 - (2 * (k + 0.5)) / count;
    const around = Math.PI * (3 - Math.sqrt(5)) * k;
    const s = Math.sqrt(1 - z * z);
    return [s * Math.cos(around), s * Math.sin(around), z] as const;
  });
  // neighbours on the ball are neighbours in memory: by cells of a cube's grid
  const placeOf = ([x, y, z]: Vector): number => {
    const cell = [x, y, z].map((a) => Math.floor(8 * (a + 1)));
    return (cell[0] * 17 + cell[1]) * 17 + cell[2];
  };
  along.sort((a, b) => placeOf(a) - placeOf(b));
  return along.map((n) => {
    const points = Float64Array.from(
      { length: 3 * (EDGES + 1) },
      (_, i) => n[i % 3] * (HEAD + (LENGTH * Math.floor(i / 3)) / EDGES),
    );
    return { ...describeCurve(points, section), contact };
  });
}

/** The step from t on. */
function stepFrom(t: number, dt: number, { realTime, most }: HairBallRun): GpuStep {
  const [from, to] = [ballAt(t), ballAt(t + dt)];
  const shift: Vector = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  return {
    dt,
    scheme: 'bdf2',
    head: (part) => ({ rotation: [0, 0, 0, 1], position: ballAt(t + part * dt) }),
    obstacles: [{ ...sphereObstacle(HEAD - HAIR, { position: from, friction: 0 }), shift }],
    mostContactIterations: most,
    ...(realTime && { looksFurther: false }),
  };
}

/** What a run took, and the worst that its steps left. */
class Tally {
  readonly times: number[] = [];
  readonly most = { overlap: 0, unsettled: 0, deep: 0, loaded: 0 };
  spent = 0;
  unsettled = 0;
  halved = 0;
  forced = 0;

  add(ms: number, counts: ContactCounts): void {
    this.times.push(ms);
    this.spent += 1e-3 * ms;
    if (counts.unsettled > 0) this.unsettled++;
    for (const name of ['overlap', 'unsettled', 'deep', 'loaded'] as const)
      this.most[name] = Math.max(this.most[name], counts[name]);
  }

  describeNow(t: number, counts: ContactCounts): string {
    const { loaded, deep, overlap, unsettled, iterations, passed, overflow, crowded, error } = counts;
    return (
      `  ${t.toFixed(2)} s after ${this.spent.toFixed(1)} s of computation: ${loaded} contacts, ${deep} deep, overlap ${(overlap / CONTACT_RADIUS).toFixed(2)} contact radii, ` +
      `${unsettled} hairs not settled (${(error / CONTACT_RADIUS).toFixed(2)} radii) after ${iterations} iterations, ${passed} about to pass, ${overflow} too fast, ` +
      `${crowded} crowded; ${this.halved} steps halved, ${this.forced} in vain`
    );
  }

  describe(t: number): string {
    const { spent, times, most, unsettled, halved, forced } = this;
    return (
      `${t.toFixed(2)} s of motion in ${spent.toFixed(1)} s, ${(spent / t).toFixed(1)} times real time; ${medianOf(times).toFixed(1)} ms per step (median); ` +
      `deepest overlap ${(most.overlap / CONTACT_RADIUS).toFixed(2)} contact radii, ${unsettled} of ${times.length} steps with hairs that did not settle ` +
      `(${most.unsettled} at most), ${halved} halved, ${forced} of them in vain`
    );
  }
}

/** Runs the motion, as far as the patience lasts, and prints what it took. */
export async function measureHairBall(device: Device, run: HairBallRun): Promise<void> {
  const { hairs, realTime, rate, most, patience, record } = run;
  const gravity = { now: 0 };
  const batch = await createGpuBatch(device, {
    nodes: EDGES + 1,
    strands: hairsOf(hairs),
    get gravity(): Vector {
      return [0, 0, -9.81 * gravity.now];
    },
    massDamping: 5,
    gains: 'f32',
    obstacles: 1,
    contactRadius: HAIR,
    pairs: { friction: 0, self: false, realTime, cell: run.cell },
  });
  const dt = 1 / rate;
  const tally = new Tally();
  let n = 0;
  for (; n < Math.round(DURATION * rate) && tally.spent < patience; n++) {
    const end = (n + 1) * dt;
    gravity.now = Math.min(1, end / Math.min(0.5, (2 / 3) * SETTLE));
    const start = performance.now();
    const step = stepFrom(n * dt, dt, run);
    if (realTime) {
      batch.step(step);
      await device.queue.onSubmittedWorkDone();
    } else {
      const { steps, isForced } = await batch.advance(step);
      if (steps > 1) tally.halved++;
      if (isForced) tally.forced++;
    }
    const took = performance.now() - start;
    const counts = await batch.readCounts();
    tally.add(took, counts);
    if (record && Math.floor(30 * end + 1e-6) > Math.floor(30 * n * dt + 1e-6)) await record(end, batch);
    if ((n + 1) % Math.round(rate / 4) === 0) console.log(tally.describeNow(end, counts));
  }
  const { positions } = await batch.readPositions();
  console.log(
    `hair ball, ${hairs} × ${EDGES}, ${realTime ? 'real time' : 'converging'}, ${rate} steps per second, ${most} iterations at most: ${tally.describe(n * dt)}, ` +
      `finite ${positions.every((x) => Math.abs(x) < 10)}, ${(batch.bytes / 2 ** 30).toFixed(2)} GiB`,
  );
  batch.destroy();
}
