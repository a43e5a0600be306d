/** Checks of a scene before anything is built from it. */
import { SceneError } from '../errors.ts';
import type { Layout } from './layout.ts';
import { findPlace } from './layout.ts';
import type { Scene } from './types.ts';
import type { Path } from './varying.ts';

/** No NaN and no infinity anywhere. */
export function checkFinite(value: unknown, path: Path): void {
  walk(value, [...path]);
}

/**
 * Visits all values; `path` is the current field and is reused: a separate list per number was a tenth of all garbage when a world of many rods is
 * built.
 */
function walk(value: unknown, path: (string | number)[]): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new SceneError(path, `the value is ${value}; it must be a finite number`);
    // powers of the value must not overflow
    if (Math.abs(value) > 1e60) throw new SceneError(path, `the value ${value} is too large; at most 1e60 is allowed`);
  } else if (Array.isArray(value)) {
    for (let k = 0; k < value.length; k++) {
      path.push(k);
      walk(value[k], path);
      path.pop();
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      path.push(key);
      walk((value as Readonly<Record<string, unknown>>)[key], path);
      path.pop();
    }
  }
}

function check(ok: boolean, path: Path, message: string): void {
  if (!ok) throw new SceneError(path, message);
}

export function checkTime({ time, statics, modes, output }: Scene): void {
  if (time) {
    check(time.duration >= 0, ['time', 'duration'], `the duration is ${time.duration} s; it must be zero or more`);
    check(time.step > 0, ['time', 'step'], `the step is ${time.step} s; it must be positive`);
    check(
      time.duration === 0 || time.step <= time.duration,
      ['time', 'step'],
      `the step of ${time.step} s is longer than the duration of ${time.duration} s; make it shorter`,
    );
    check(
      time.duration / time.step <= 1e9,
      ['time', 'step'],
      `${time.duration} s in steps of ${time.step} s would take more than 1e9 steps; make the step longer`,
    );
    const { halvings = 8 } = time;
    check(
      Number.isInteger(halvings) && halvings >= 0 && halvings <= 30,
      ['time', 'halvings'],
      `halvings is ${halvings}; it must be a whole number from 0 to 30`,
    );
  }
  if (statics) {
    const { from = 0, to = from, steps = 1, tolerance = 1 } = statics;
    check(from >= 0, ['statics', 'from'], `the time is ${from} s; times start at 0`);
    check(to >= from, ['statics', 'to'], `'to' is ${to} s, before 'from' at ${from} s`);
    check(
      Number.isInteger(steps) && steps >= 1 && steps <= 1e6,
      ['statics', 'steps'],
      `steps is ${steps}; it must be a whole number from 1 to 1000000`,
    );
    check(tolerance > 0, ['statics', 'tolerance'], `the tolerance is ${tolerance}; it must be positive`);
  }
  const { count = 1 } = modes ?? {};
  check(
    Number.isInteger(count) && count >= 1,
    ['modes', 'count'],
    `the count is ${count}; it must be a whole number of at least 1`,
  );
  check(
    output?.every === undefined || output.every > 0,
    ['output', 'every'],
    `'every' is ${output?.every} s; it must be positive`,
  );
}

/** Throws for a scene whose time is a parameter of its equilibria: it has no motion. */
export function refuseParameter({ statics }: Scene): void {
  if (statics?.parameter === undefined) return;
  throw new SceneError(
    ['statics', 'parameter'],
    `equilibria of this scene follow '${statics.parameter}' in place of time; remove 'parameter' to run it`,
  );
}

/** Duration and step of a scene that is to run. Throws SceneError if it has none, with the advice `instead`. */
export function requireTime(scene: Scene, instead: string): NonNullable<Scene['time']> {
  refuseParameter(scene);
  if (!scene.time)
    throw new SceneError(['time'], `the scene has no time; add time: { duration: 1 s, step: 1 ms }, or ${instead}`);
  return scene.time;
}

/** Probes must name rods, places and bodies that exist. */
export function checkOutput({ output, bodies = [] }: Scene, layoutOf: (rod: string, path: Path) => Layout): void {
  const names = new Set<string>();
  output?.probes?.forEach((probe, k) => {
    if (probe.name !== undefined && names.has(probe.name)) {
      throw new SceneError(
        ['output', 'probes', k, 'name'],
        `the name '${probe.name}' is taken by another probe; names must differ`,
      );
    }
    if (probe.name !== undefined) names.add(probe.name);
    if ('body' in probe) {
      check(
        bodies.some(({ id }) => id === probe.body),
        ['output', 'probes', k, 'body'],
        `there is no body '${probe.body}'`,
      );
      return;
    }
    findPlace(probe.at, layoutOf(probe.rod, ['output', 'probes', k, 'rod']), ['output', 'probes', k, 'at']);
  });
}
