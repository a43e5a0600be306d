/**
 * The same scene in other units: lengths, times and masses times powers of two. All of physics is the same, and so is every rounding error,
 * unless something in the code compares with a number that has a unit.
 */
import type { Json, SceneJson } from './scenes.ts';

/**
 * Factors of the units. No quantity of mechanics keeps its number: not a stress, an acceleration, a density. Lengths and masses are multiplied by powers of
 * four, so that their roots are rounded alike.
 */
export const units = { length: 4, time: 0.5, mass: 16 } as const;

const { length, time, mass } = units;
const force = (mass * length) / time ** 2;

/** Factors of fields, by their names; other numbers have no unit, or a factor of 1. */
const factors: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ['from', 'to', 'center', 'position', 'points', 'radius', 'pitch', 'a', 'b', 'offset'].map((name) => [name, length]),
  ),
  ...Object.fromEntries(['duration', 'step', 'time', 'stiffness', 'release'].map((name) => [name, time])),
  density: mass / length ** 3,
  E: force / length ** 2,
  gravity: length / time ** 2,
  linear: length / time,
  angular: 1 / time,
  force,
  torque: force * length,
  curvature: 1 / length,
  mass: 1 / time,
};

/** Numbers in formulas, in pairs of a place and a value, and under names that mean something else elsewhere. */
const unscaled = /"(fields|formula|along|links|law)":|"distributed"/;

/** The scaled scene; undefined where it has numbers whose unit their name does not tell. */
export function scaleScene(scene: SceneJson): SceneJson | undefined {
  if (unscaled.test(JSON.stringify(scene))) return undefined;
  // its default is a time
  const solver = { massspring: { damping: 1e-4 * time }, ...(scene.solver as SceneJson | undefined) };
  return { ...(scaleValue(scene, 1) as SceneJson), solver };
}

function scaleValue(value: Json, factor: number): Json {
  if (typeof value === 'number') return factor * value;
  if (Array.isArray(value)) return value.map((item: Json) => scaleValue(item, factor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      name === 'rotation' || name === 'd1' || name === 'axis' ? child : scaleValue(child, factors[name] ?? 1),
    ]),
  );
}
