/** Winds made of parts (gusts, vortices, turbulence, a grid): checks and creation. A world without such winds need not bundle this file. */
import { SceneError } from '../errors.ts';
import { createWind, type Wind } from '../fields/wind.ts';
import { checkSampledWind } from './sampledWind.ts';
import type { WindSpec } from './types.ts';
import { nonNegative, type Path, positive, type Requirement } from './varying.ts';

/** Winds of parts, for `createWorld` of `@tendril-sim/core/world`. */
export interface WindModule {
  /** Makes the wind; throws a SceneError that names the field. */
  compileParts(spec: WindSpec, path: Path): Wind;
}

/** Whole seeds up to here give fields of their own; larger ones would repeat them. */
const largestSeed = 2 ** 32 - 1;

function checkNumber(value: number, path: Path, { test, words }: Requirement, remedy = ''): void {
  if (test(value)) return;
  throw new SceneError(path, `the value is ${value}; it must be ${words}${remedy}`);
}

/** That every number is finite is checked for the whole scene. */
function checkParts({ mean, gust, vortices = [], turbulence, grid }: WindSpec, path: Path): void {
  if (grid) checkSampledWind(grid, [...path, 'grid']);
  if (gust) {
    const here = [...path, 'gust'];
    if (!mean) throw new SceneError(here, "gusts vary the mean wind, and there is none; give 'mean'");
    checkNumber(gust.amplitude, [...here, 'amplitude'], nonNegative, ', as a fraction of the mean wind');
    checkNumber(gust.period, [...here, 'period'], positive, '; for a steady wind leave out the gust');
  }
  vortices.forEach(({ axis, core }, i) => {
    const here = [...path, 'vortices', i];
    if (axis.every((value) => value === 0))
      throw new SceneError([...here, 'axis'], 'the axis is [0, 0, 0]; give the direction about which the vortex turns');
    checkNumber(core, [...here, 'core'], positive, '; without a core the speed would be infinite on the axis');
  });
  if (turbulence) {
    const here = [...path, 'turbulence'];
    const { intensity, length, octaves = 1, seed = 0, time = 1 } = turbulence;
    checkNumber(intensity, [...here, 'intensity'], nonNegative);
    checkNumber(length, [...here, 'length'], positive);
    const between = (least: number, most: number): Requirement => ({
      test: (value) => Number.isInteger(value) && value >= least && value <= most,
      words: `a whole number from ${least} to ${most}`,
    });
    checkNumber(octaves, [...here, 'octaves'], between(1, 6));
    checkNumber(seed, [...here, 'seed'], between(0, largestSeed));
    checkNumber(time, [...here, 'time'], positive, '; leave it out for length/intensity');
  }
}

/** Winds with gusts, vortices, turbulence or velocities on a grid. */
export const wind: WindModule = {
  compileParts(spec, path) {
    checkParts(spec, path);
    return createWind(spec);
  },
};
