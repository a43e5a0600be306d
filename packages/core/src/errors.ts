/** Invalid input; `path` is the field of the scene, from which readers of files find the line. */
export class SceneError extends Error {
  /** Path of the field, such as `rods`, 0, `edges`. */
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.name = 'SceneError';
    this.path = path;
  }
}

/** A step was stopped by `onSubstep`; the world is as it was before the step. */
export class StoppedError extends Error {
  /** Time of the world [s]. */
  readonly time: number;
  constructor(time: number) {
    super(`the step at t = ${time} s was stopped`);
    this.name = 'StoppedError';
    this.time = time;
  }
}

/** The simulation cannot continue; has the rod, the time and a remedy. */
export class SimulationError extends Error {
  /** Id of the rod that failed. */
  readonly rod: string;
  /** Simulated time [s]. */
  readonly time: number;
  /** What the user can try. */
  readonly remedy: string;
  constructor(rod: string, time: number, message: string, remedy: string) {
    super(message);
    this.name = 'SimulationError';
    this.rod = rod;
    this.time = time;
    this.remedy = remedy;
  }
}
