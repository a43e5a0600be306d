/**
 * Building blocks of the scene schema: quantities, vectors, values along a rod or in time, strict objects.
 *
 * Each has its own error text, because zod's messages state what was received, not what would be valid.
 */
import type { Interpolation, Timed, Varying, Vec3 } from '@tendril-sim/core';
import * as z from 'zod';
import { nearestWord } from '../suggest.ts';
import { type Dimension, describeDimension, dimensions, parseQuantity } from '../units.ts';

/** The same structure as T where numbers may be written as text with a unit, and formulas as numbers. */
export type Written<T> = T extends number
  ? number extends T
    ? number | string
    : T
  : T extends string
    ? string extends T
      ? string | number
      : T
    : { [K in keyof T]: Written<T[K]> };

/** Which numbers a schema accepts. */
export type Sign = 'any' | 'positive' | 'nonnegative';

/** A value as one line of a message. */
export function show(value: unknown): string {
  if (value === null) return 'nothing (null)';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return `{ ${Object.keys(value).slice(0, 5).join(', ')} }`;
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** `expected X, got Y`, or `missing; expected X` where the field is absent. */
export function expected(what: string, input: unknown): string {
  return input === undefined ? `missing; expected ${what}` : `expected ${what}, got ${show(input)}`;
}

const expecting =
  (what: string) =>
  (issue: { readonly input?: unknown }): string =>
    expected(what, issue.input);

function signProblem(value: number, sign: Sign, got: unknown): string | undefined {
  if (sign === 'positive' && !(value > 0)) return `must be positive, got ${show(got)}`;
  if (sign === 'nonnegative' && !(value >= 0)) return `must not be negative, got ${show(got)}`;
  return undefined;
}

/** A number in SI, or text with a unit of the dimension. */
export function quantity(dimension: Dimension, sign: Sign = 'any'): z.ZodType<number, number | string> {
  const { example, si } = dimensions[dimension];
  return z
    .union([z.number(), z.string()], { error: expecting(describeDimension(dimension)) })
    .meta({ examples: [example], description: `[${si}]` })
    .transform((input, context) => {
      const result = typeof input === 'number' ? { ok: true as const, value: input } : parseQuantity(input, dimension);
      const message = result.ok ? signProblem(result.value, sign, input) : result.message;
      if (message === undefined && result.ok) return result.value;
      context.issues.push({ code: 'custom', message: message ?? '', input });
      return z.NEVER;
    });
}

/** Adds the remedy to errors of text in place of a plain number; `forms` names the alternatives. */
const expectingNumber =
  (what: string, forms = '') =>
  ({ input }: { readonly input?: unknown }): string => {
    const text = typeof input === 'string' ? input.trim() : '';
    if (text === '') return expected(what + forms, input);
    if (Number.isFinite(Number(text))) return `expected ${what}, got text: write ${text} without quotes`;
    return `expected ${what} without a unit${forms}, got ${show(input)}`;
  };

/** A number that has no unit. */
export function count(sign: Sign = 'any', what = 'a plain number'): z.ZodType<number, number> {
  return z.number({ error: expectingNumber(what) }).superRefine((value, context) => {
    const message = signProblem(value, sign, value);
    if (message) context.addIssue({ code: 'custom', message });
  });
}

/** Schema of a whole number of at least `minimum`. */
export function whole(minimum: number): z.ZodType<number, number> {
  const what = `a whole number of at least ${minimum}`;
  return z.int({ error: expecting(what) }).min(minimum, { error: expecting(what) });
}

/** A number from 0 to 1 along the rod. */
export function fraction(): z.ZodType<number, number> {
  const what = 'a number from 0 (start of the rod) to 1 (end)';
  return z
    .number({ error: expecting(what) })
    .min(0, { error: expecting(what) })
    .max(1, { error: expecting(what) });
}

/** Schema of one of these words. */
export function words<const T extends readonly [string, ...string[]]>(options: T): z.ZodType<T[number], T[number]> {
  return z.enum(options, {
    error: ({ input }) => {
      const near = typeof input === 'string' ? nearestWord(input, options) : undefined;
      const list = options.map((option) => `'${option}'`).join(', ');
      return `${expected(`one of ${list}`, input)}${near ? `; did you mean '${near}'?` : ''}`;
    },
  }) as z.ZodType<T[number], T[number]>;
}

/** Schema of a text that is not empty; `what` names it in errors. */
export function text(what: string): z.ZodType<string, string> {
  return z
    .string({
      error: ({ input }) =>
        typeof input === 'number' || typeof input === 'boolean'
          ? `expected ${what}, got ${show(input)}: put it in quotes`
          : expected(what, input),
    })
    .min(1, { error: `expected ${what}, got empty text` })
    .refine((value) => !controls.test(value), {
      error: ({ input }) => `expected ${what} without control characters, got ${show(input)}`,
    });
}

/** Characters that would control a terminal; line ends and tabs are text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Schema of true or false. */
export function flag(): z.ZodType<boolean, boolean> {
  return z.boolean({ error: expecting('true or false') });
}

/** An expression; a bare number is one too, so that `z: 0` may be written in a shape. */
export function formula(variables: string): z.ZodType<string, string | number> {
  return z
    .union([z.string().min(1), z.number()], { error: expecting(`an expression in ${variables}, in SI units`) })
    .transform((value) => String(value));
}

function tuple3<O, I>(item: z.ZodType<O, I>, what: string): z.ZodType<[O, O, O], [I, I, I]> {
  return z.tuple([item, item, item], {
    error: ({ input }) => expected(what, input) + (Array.isArray(input) ? commaHint(input) : ''),
  });
}

/** Three quantities of one dimension. */
export function vector(dimension: Dimension): z.ZodType<Vec3, Written<Vec3>> {
  const { example } = dimensions[dimension];
  return tuple3(quantity(dimension), `a list of three values, x, y and z, such as [0, 0, "${example}"]`);
}

/** A direction; its length does not matter. */
export function direction(): z.ZodType<Vec3, Written<Vec3>> {
  const what = 'a direction: a list of three plain numbers such as [0, 0, 1]';
  return tuple3(count(), what).superRefine((value, context) => {
    if (value.every((component) => component === 0)) {
      context.addIssue({ code: 'custom', message: 'a direction cannot be [0, 0, 0]' });
    }
  });
}

/** Schema of three formulas, one per axis. */
export function formulas(
  variables: string,
): z.ZodType<[string, string, string], Written<readonly [string, string, string]>> {
  return tuple3(formula(variables), `a list of three expressions in ${variables}`) as z.ZodType<
    [string, string, string],
    Written<readonly [string, string, string]>
  >;
}

/** Arrays with an error message that describes the expected entries. */
export function list<O, I>(item: z.ZodType<O, I>, what: string, minimum = 0): z.ZodType<O[], I[]> {
  const message = (issue: { readonly input?: unknown }): string =>
    Array.isArray(issue.input)
      ? `expected at least ${minimum} ${minimum === 1 ? 'entry' : 'entries'}, got ${issue.input.length}`
      : expected(`a list of ${what}`, issue.input);
  const array = z.array(item, { error: message });
  return minimum > 0 ? array.min(minimum, { error: message }) : array;
}

const hexColor = /^#[0-9a-f]{6}$/i;

/** A colour in pictures: two hexadecimal digits each of red, green and blue. */
export function color(): z.ZodType<string, string> {
  const message = ({ input }: { readonly input?: unknown }): string => expected("a colour such as '#5f7a3a'", input);
  return z.string({ error: message }).regex(hexColor, { error: message });
}

/** An object without unknown fields. One message per unknown field, one line each, in the order of the keys. */
export function fields<S extends z.core.$ZodLooseShape>(what: string, shape: S): z.ZodObject<S, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownField(what, key, known)).join('\n')
        : expected(`${what} with the fields ${known.join(', ')}`, issue.input),
  });
}

/** YAML splits `[max(x, 0), 0, 0]` at every comma; the pieces have unbalanced parentheses. */
export function commaHint(pieces: readonly unknown[]): string {
  const torn = pieces.some((piece) => typeof piece === 'string' && piece.split('(').length !== piece.split(')').length);
  return torn ? '; an expression with a comma needs quotes' : '';
}

function unknownField(what: string, key: string, known: readonly string[]): string {
  const near = nearestWord(key, known);
  const remedy = near ? `did you mean '${near}'?` : `${what} has ${known.join(', ')}`;
  return `unknown field '${key}'; ${remedy}${commaHint([key])}`;
}

/** Objects distinguished by their `type`. */
export function variants<const T extends readonly [z.ZodObject, ...z.ZodObject[]]>(
  what: string,
  options: T,
): z.ZodDiscriminatedUnion<T, 'type'> {
  const types = options.map((option) => String((option.shape.type as z.ZodLiteral).value));
  const all = types.map((type) => `'${type}'`).join(', ');
  return z.discriminatedUnion('type', options, {
    error: ({ input }) => {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        return expected(`${what}: a group of fields with a type, one of ${all}`, input);
      }
      const given: unknown = (input as { readonly type?: unknown }).type;
      const near = typeof given === 'string' ? nearestWord(given, types) : undefined;
      return `${expected(`the type of ${what}, one of ${all}`, given)}${near ? `; did you mean '${near}'?` : ''}`;
    },
  });
}

/** One of several forms; the message names them all, for when none of them fits the kind of value given. */
export function either<const T extends readonly [z.ZodType, ...z.ZodType[]]>(
  what: string | ((issue: { readonly input?: unknown }) => string),
  options: T,
): z.ZodUnion<T> {
  return z.union(options, { error: typeof what === 'string' ? expecting(what) : what });
}

/** `[key, value]` pairs with keys that do not decrease. */
function pairs(
  key: z.ZodType<number, number | string>,
  value: z.ZodType<number, number | string>,
  what: string,
  { strict }: { readonly strict: boolean },
): z.ZodType<[number, number][], [number | string, number | string][]> {
  const pair = z.tuple([key, value], { error: expecting(`a pair ${what}`) });
  return list(pair, `pairs ${what}`, 1).superRefine((entries, context) => {
    for (let i = 1; i < entries.length; i++) {
      const rises = strict ? entries[i][0] > entries[i - 1][0] : entries[i][0] >= entries[i - 1][0];
      if (!rises) {
        const message = `must ${strict ? 'be greater than' : 'not be less than'} the one before it (${entries[i - 1][0]})`;
        context.addIssue({ code: 'custom', path: [i, 0], message });
      }
    }
  });
}

/** A value along the rod; `dimension` is null for a plain number. */
export function varying(dimension: Dimension | null, sign: Sign = 'any'): z.ZodType<Varying, Written<Varying>> {
  const item = dimension === null ? count(sign) : quantity(dimension, sign);
  const forms = ', or { along: [[u, value], …] }, or { formula: "…" }';
  const message =
    dimension === null ? expectingNumber('a plain number', forms) : expecting(describeDimension(dimension) + forms);
  const si = dimension === null ? 'no unit' : dimensions[dimension].si;
  return either(message, [
    item,
    fields('a value along the rod', {
      along: pairs(fraction(), item, '[u, value]', { strict: false }).describe(
        'Pairs [u, value], u from 0 (start) to 1 (end) and not decreasing; linear between them, constant outside. Two equal u make a jump.',
      ),
    }),
    fields('a value along the rod', {
      formula: formula('u, s and L').describe(
        `Expression in u (0 to 1 along the rod), s and L (arc length and rest length in metres). The result is in SI [${si}].`,
      ),
    }),
  ]);
}

/** Schema of the interpolation between keys. */
export const interpolation: z.ZodType<Interpolation, Interpolation> = words(['smooth', 'linear', 'step']).describe(
  'Between keys: smooth (default; twice differentiable, at rest at both ends), linear, or step (holds the last key).',
);

/** A factor in time. */
export const timed: z.ZodType<Timed, Written<Timed>> = either(
  expectingNumber('a plain number', ', or { keys: [[time, value], …] }, or { formula: "…" }'),
  [
    count(),
    fields('a factor in time', {
      keys: pairs(quantity('time', 'nonnegative'), count(), '[time, value]', { strict: true }).describe(
        'Pairs [time, value] with increasing times [s]; constant before the first and after the last.',
      ),
      interpolation: interpolation.optional(),
    }),
    fields('a factor in time', {
      formula: formula('t').describe('Expression in t, the time in seconds.'),
    }),
  ],
);
