/** How a hairstyle was made: written down as it is made, and read again. */
import { stylePresets } from '@tendril-sim/core';
import type { GroomAction, GroomSettings, Recipe, RecipeAction } from './groomTypes.ts';

type Stroke = Extract<GroomAction, { kind: 'stroke' }>;

/** Of the points of the brush, a metre: the page rounds them before anything is done with them. */
const grains = 1e4;

/** Hairs are placed anew each time: only the last count counts. */
export function addAction(recipe: Recipe | undefined, action: RecipeAction): Recipe | undefined {
  if (!recipe) return undefined;
  const last = recipe.actions[recipe.actions.length - 1];
  const before = last?.kind === 'hairs' && action.kind === 'hairs' ? recipe.actions.slice(0, -1) : recipe.actions;
  return { ...recipe, actions: [...before, action] };
}

/** `path`: points [m], three numbers each. */
export function recordStroke({ brush, radius, strength, settings }: Stroke, path: readonly number[]): RecipeAction {
  return {
    kind: 'stroke',
    brush,
    radius,
    strength,
    ...(brush === 'curl' && { curl: [settings.radius, settings.pitch] as const }),
    path: path.map((x) => Math.round(x * grains)),
  };
}

/** What the brush did, move by move; the last takes it off. */
export function strokesOf(
  { brush, radius, strength, curl, path }: Extract<RecipeAction, { kind: 'stroke' }>,
  present: GroomSettings,
): Stroke[] {
  const settings = curl ? { ...present, radius: curl[0], pitch: curl[1] } : present;
  const count = path.length / 3;
  const at = (k: number): [number, number, number] => [
    onGrain(path[3 * k]),
    onGrain(path[3 * k + 1]),
    onGrain(path[3 * k + 2]),
  ];
  return Array.from({ length: count - 1 }, (_, k) => ({
    kind: 'stroke',
    brush,
    radius,
    strength,
    settings,
    from: at(k),
    to: at(k + 1),
    end: k === count - 2,
  }));
}

const onGrain = (units: number): number => units / grains;

/** A place of the brush [m], as a recipe can hold it. */
export function roundPlace([x, y, z]: readonly number[]): [number, number, number] {
  const round = (value: number): number => Math.round(value * grains) / grains;
  return [round(x), round(y), round(z)];
}

const within = (x: unknown, low: number, high: number): x is number => typeof x === 'number' && x >= low && x <= high;

/** Bounds of what a link may ask for: others write links too. */
const limits: Readonly<Record<Exclude<keyof GroomSettings, 'preset' | 'hair' | 'scalp'>, readonly [number, number]>> = {
  guides: [1, 600],
  hairs: [1, 20_000],
  length: [0.001, 2],
  jitter: [0, 1],
  radius: [0, 0.2],
  pitch: [0, 2],
  frizz: [0, 10],
  clump: [0, 1],
  lie: [0, 5],
};

/** What a link holds, or undefined where it is no recipe. `kinds`: the types of hair that there are. */
export function readRecipe(value: unknown, kinds: readonly string[]): Recipe | undefined {
  const { head, settings, actions } = (value ?? {}) as Partial<Record<keyof Recipe, unknown>>;
  if (head !== 'head' && head !== 'ball') return undefined;
  if (!isSettings(settings, kinds) || !Array.isArray(actions) || actions.length > 2000) return undefined;
  return actions.every(isAction) ? { head, settings, actions } : undefined;
}

function isSettings(value: unknown, kinds: readonly string[]): value is GroomSettings {
  const fields = (value ?? {}) as Record<string, unknown>;
  const numbers = Object.entries(limits).every(([name, [low, high]]) => within(fields[name], low, high));
  const isPreset = fields.preset === undefined || Object.hasOwn(stylePresets, String(fields.preset));
  return (
    numbers &&
    isPreset &&
    kinds.includes(String(fields.hair)) &&
    typeof fields.scalp === 'string' &&
    fields.scalp.length < 400
  );
}

const brushes: readonly unknown[] = ['comb', 'cut', 'curl', 'straighten'];

function isAction(value: unknown): value is RecipeAction {
  const one = (value ?? {}) as Record<string, unknown>;
  if (one.kind === 'trim') return within(one.length, 0.001, 2);
  if (one.kind === 'shape') return ['puff', 'smooth', 'wrap'].includes(String(one.how)) && within(one.strength, 0, 1);
  if (one.kind === 'hairs') return within(one.hairs, ...limits.hairs) && within(one.clump, 0, 1);
  if (one.kind !== 'stroke' || !brushes.includes(one.brush)) return false;
  if (!within(one.radius, 0, 1) || !within(one.strength, 0, 1)) return false;
  const { path, curl } = one;
  if (curl !== undefined && !(Array.isArray(curl) && within(curl[0], 0, 0.2) && within(curl[1], 0, 2))) return false;
  if (!Array.isArray(path) || path.length < 6 || path.length % 3 !== 0 || path.length > 9000) return false;
  return path.every((x) => within(x, -1e5, 1e5));
}
