/** Observers read a running world and do not change it: recorder, probes, or a user's function. */
import type { Energies } from '../model.ts';
import { refuseParameter } from '../scene/check.ts';
import type { StepReport, World } from '../world/types.ts';

/** Reads a world as it runs. */
export interface Observer {
  /** Called at the start and then every `every` seconds of simulated time. */
  observe(world: World): void;
}

/** Runs until `until` [s], showing the world to the observers at the start, every `every` seconds, and at the end. */
export function simulate(
  world: World,
  until: number,
  observers: readonly Observer[] = [],
  every = 0,
): StepReport | undefined {
  refuseParameter(world.scene);
  const step = world.scene.time?.step ?? 0;
  const start = world.time;
  let shown = 0;
  let report: StepReport | undefined;
  const show = (): void => {
    for (const observer of observers) observer.observe(world);
  };
  show();
  // a remainder of less than a millionth of a step is rounding, not a step
  while (until - world.time > 1e-6 * step) {
    report = world.step(Math.min(step, until - world.time));
    const due = every > 0 ? Math.floor((world.time - start) / every + 1e-6) : shown + 1;
    if (due <= shown && until - world.time > 1e-6 * step) continue;
    shown = due;
    show();
  }
  return report;
}

/** Time, positions and energies that a recorder keeps. */
export interface RecordedFrame {
  /** [s] */
  readonly time: number;
  /** [m], 3 per node, one array per rod */
  readonly nodePosition: readonly Float64Array[];
  /** Energies of all rods [J]. */
  readonly energies: Energies;
}

/** Keeps positions and energies in memory. */
export function createRecorder(): Observer & { readonly frames: readonly RecordedFrame[] } {
  const frames: RecordedFrame[] = [];
  return {
    frames,
    observe(world) {
      frames.push({
        time: world.time,
        nodePosition: world.samples.map(({ nodePosition }) => nodePosition.slice()),
        energies: world.energies(),
      });
    },
  };
}
