/**
 * Quantities with units: "0.06 mm", "3.58 GPa", "9.81 m/s^2", "1.2 g/cm^3", "2 turns".
 *
 * The power of ten of a unit is kept separate from its other factor, and appended to the digits before they become a
 * number: "0.06 mm" is the double nearest to 6e-5, the same as if the scene had said 6e-5. Multiplying by 1e-3 would
 * often be off by one unit in the last place, and the hash of a scene would depend on how it was written.
 *
 * Angle is a separate dimension, so a length is not accepted as an angle, nor 10 Hz as 10 rad/s.
 */
import { pow } from '@tendril-sim/core/math';
import { type Dimension, dimensions, type Powers } from './dimensions.ts';

export { type Dimension, type DimensionInfo, dimensions } from './dimensions.ts';
/** A unit as a factor and powers of the base units. */
export interface Unit {
  /** value in SI = digits · 10^exponent · factor */
  readonly factor: number;
  /** Power of ten. */
  readonly exponent: number;
  /** Powers of the base units. */
  readonly powers: Powers;
}

const unit = (powers: Powers, exponent = 0, factor = 1): Unit => ({ factor, exponent, powers });

/** Units that take SI prefixes. */
const prefixable: Readonly<Record<string, Unit>> = {
  m: unit([0, 1, 0, 0]),
  g: unit([1, 0, 0, 0], -3),
  s: unit([0, 0, 1, 0]),
  rad: unit([0, 0, 0, 1]),
  N: unit([1, 1, -2, 0]),
  Pa: unit([1, -1, -2, 0]),
  J: unit([1, 2, -2, 0]),
  W: unit([1, 2, -3, 0]),
  Hz: unit([0, 0, -1, 0]),
  bar: unit([1, -1, -2, 0], 5),
  dyn: unit([1, 1, -2, 0], -5),
  gf: unit([1, 1, -2, 0], -3, 9.80665),
  // of fibres and yarns: mass of a kilometre in grams
  tex: unit([1, -1, 0, 0], -6),
};

/** Units that stand alone; looked up before a prefix is split off, so that `min` is a minute and no milli-inch. */
const plain: Readonly<Record<string, Unit>> = {
  min: unit([0, 0, 1, 0], 0, 60),
  h: unit([0, 0, 1, 0], 0, 3600),
  deg: unit([0, 0, 0, 1], 0, Math.PI / 180),
  '°': unit([0, 0, 0, 1], 0, Math.PI / 180),
  turn: unit([0, 0, 0, 1], 0, 2 * Math.PI),
  turns: unit([0, 0, 0, 1], 0, 2 * Math.PI),
  rev: unit([0, 0, 0, 1], 0, 2 * Math.PI),
  rpm: unit([0, 0, -1, 1], 0, (2 * Math.PI) / 60),
  in: unit([0, 1, 0, 0], 0, 0.0254),
  ft: unit([0, 1, 0, 0], 0, 0.3048),
  mil: unit([0, 1, 0, 0], 0, 2.54e-5),
  lb: unit([1, 0, 0, 0], 0, 0.45359237),
  lbf: unit([1, 1, -2, 0], 0, 4.4482216152605),
  psi: unit([1, -1, -2, 0], 0, 6894.757293168361),
  atm: unit([1, -1, -2, 0], 0, 101325),
  t: unit([1, 0, 0, 0], 3),
  den: unit([1, -1, 0, 0], -6, 1 / 9),
  // standard gravity
  g0: unit([0, 1, -2, 0], 0, 9.80665),
};

const prefixes: Readonly<Record<string, number>> = {
  f: -15,
  p: -12,
  n: -9,
  u: -6,
  µ: -6, // U+00B5 micro sign
  μ: -6, // U+03BC Greek mu
  m: -3,
  c: -2,
  d: -1,
  da: 1,
  h: 2,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
};

/** Common spellings of units that have another symbol here. */
const spellings: Readonly<Record<string, string>> = {
  meter: 'm',
  meters: 'm',
  metre: 'm',
  metres: 'm',
  cms: 'cm',
  mms: 'mm',
  micron: 'um',
  microns: 'um',
  inch: 'in',
  inches: 'in',
  feet: 'ft',
  sec: 's',
  second: 's',
  seconds: 's',
  minute: 'min',
  minutes: 'min',
  hour: 'h',
  hours: 'h',
  degree: 'deg',
  degrees: 'deg',
  radian: 'rad',
  radians: 'rad',
  revolutions: 'turns',
  newton: 'N',
  newtons: 'N',
  pascal: 'Pa',
  gram: 'g',
  grams: 'g',
  kilogram: 'kg',
  kilograms: 'kg',
  denier: 'den',
};

/** A unit, or why it could not be read. */
export type UnitResult = { readonly ok: true; readonly unit: Unit } | { readonly ok: false; readonly message: string };

function lookUp(symbol: string): UnitResult {
  const found: Unit | undefined = Object.hasOwn(plain, symbol)
    ? plain[symbol]
    : Object.hasOwn(prefixable, symbol)
      ? prefixable[symbol]
      : undefined;
  if (found) return { ok: true, unit: found };
  for (const length of [1, 2]) {
    const prefix = symbol.slice(0, length);
    const base = symbol.slice(length);
    if (Object.hasOwn(prefixes, prefix) && Object.hasOwn(prefixable, base)) {
      const { factor, exponent, powers } = prefixable[base];
      return { ok: true, unit: { factor, exponent: exponent + prefixes[prefix], powers } };
    }
  }
  const hint = spellings[symbol.toLowerCase()] ?? otherCase(symbol);
  return { ok: false, message: `unknown unit '${symbol}'${hint ? `; did you mean '${hint}'?` : ''}` };
}

/** `gpa` → `GPa`, `KG` → `kg`: symbols distinguish capitals, people do not always. */
function otherCase(symbol: string): string | undefined {
  const lower = symbol.toLowerCase();
  for (const name of [...Object.keys(plain), ...Object.keys(prefixable)]) {
    if (name.toLowerCase() === lower) return name;
  }
  for (const base of Object.keys(prefixable)) {
    if (!lower.endsWith(base.toLowerCase())) continue;
    const rest = lower.slice(0, lower.length - base.length);
    const prefix = ['k', 'M', 'G', 'T', 'c', 'd', 'n', 'u'].find((p) => p.toLowerCase() === rest);
    if (prefix) return prefix + base;
  }
  return undefined;
}

function combine(a: Unit, b: Unit, power: number): Unit {
  const powerOf = (k: number): number => a.powers[k] + b.powers[k] * power;
  return {
    factor: a.factor * pow(b.factor, power),
    exponent: a.exponent + b.exponent * power,
    powers: [powerOf(0), powerOf(1), powerOf(2), powerOf(3)],
  };
}

const superscripts: Readonly<Record<string, string>> = { '²': '^2', '³': '^3', '⁻¹': '^-1', '⁻²': '^-2', '⁻³': '^-3' };
const one: Unit = unit([0, 0, 0, 0]);

/** The tokens of a unit, and which comes next. */
interface UnitTokens {
  readonly text: string;
  readonly tokens: readonly string[];
  next: number;
}

const failUnit = (message: string): UnitResult => ({ ok: false, message });
const cannotRead = (text: string): UnitResult => failUnit(`cannot read the unit '${text}'; write it like kg/(m*s^2)`);

function skipSpace(from: UnitTokens): void {
  while (from.next < from.tokens.length && /^\s+$/.test(from.tokens[from.next])) from.next++;
}

/** A symbol, `1` or a product in parentheses, and its power. */
function parseFactor(from: UnitTokens): UnitResult {
  const { tokens, text } = from;
  skipSpace(from);
  const token = tokens[from.next++];
  let result: UnitResult;
  if (token === '(') {
    result = parseProduct(from);
    if (!result.ok) return result;
    if (tokens[from.next++] !== ')') return failUnit(`missing ')' in the unit '${text}'`);
  } else if (token === '1') {
    result = { ok: true, unit: one };
  } else if (token !== undefined && /^[A-Za-zµμ°]/.test(token)) {
    result = lookUp(token);
    // a trailing digit that is part of no symbol is a power: m2, s2
    const digit = /^(.*)([2-9])$/u.exec(token);
    if (!result.ok && digit) {
      const base = lookUp(digit[1]);
      if (base.ok) result = { ok: true, unit: combine(one, base.unit, Number(digit[2])) };
    }
  } else {
    return cannotRead(text);
  }
  skipSpace(from);
  if (!result.ok || tokens[from.next] !== '^') return result;
  from.next++;
  skipSpace(from);
  const power = tokens[from.next++];
  if (power === undefined || !/^[+-]?\d$/.test(power))
    return failUnit(`a power in the unit '${text}' must be a whole number`);
  return { ok: true, unit: combine(one, result.unit, Number(power)) };
}

function parseProduct(from: UnitTokens): UnitResult {
  let total = parseFactor(from);
  let divided = false;
  for (;;) {
    skipSpace(from);
    const token = from.tokens[from.next];
    if (!total.ok || token === undefined || token === ')') return total;
    const explicit = token === '*' || token === '·' || token === '/';
    if (explicit) from.next++;
    // `kg/m s` is ambiguous
    else if (divided) return failUnit(`the unit '${from.text}' is ambiguous; use parentheses, as in kg/(m*s)`);
    const factor = parseFactor(from);
    if (!factor.ok) return factor;
    divided ||= token === '/';
    total = { ok: true, unit: combine(total.unit, factor.unit, token === '/' ? -1 : 1) };
  }
}

/** Units joined by `*`, `·`, a space or `/`, with powers and parentheses: `kg/(m*s^2)`. */
export function parseUnit(text: string): UnitResult {
  const source = text.replace(/⁻[¹²³]|[²³]/g, (sign) => superscripts[sign]);
  const tokens = source.match(/[A-Za-zµμ°]+[0-9]?(?![A-Za-zµμ°])|\^|[*·/()]|[+-]?\d+|\s+|./gu) ?? [];
  const from: UnitTokens = { text, tokens, next: 0 };
  const result = parseProduct(from);
  return result.ok && from.next < tokens.length ? cannotRead(text) : result;
}

/** A number in SI units, or why it could not be read. */
export type QuantityResult =
  | { readonly ok: true; readonly value: number }
  | { readonly ok: false; readonly message: string };

const numberPattern = /^\s*([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+))?/;

/** `a length such as "5 mm" or a number in metres` */
export function describeDimension(dimension: Dimension): string {
  const { name, example, inWords } = dimensions[dimension];
  return `${name} such as "${example}" or a number in ${inWords}`;
}

/** Reads a quantity of the given dimension into SI. On failure, the message names a valid value. */
export function parseQuantity(text: string, dimension: Dimension): QuantityResult {
  const expected = `expected ${describeDimension(dimension)}, got "${text}"`;
  const match = numberPattern.exec(text);
  if (!match) return { ok: false, message: expected };
  const rest = text.slice(match[0].length).trim();
  if (rest === '') return { ok: false, message: `missing unit: ${expected}` };
  const parsed = parseUnit(rest.startsWith('/') ? `1${rest}` : rest);
  if (!parsed.ok) return { ok: false, message: `${parsed.message}; ${expected}` };
  const { factor, exponent, powers } = parsed.unit;
  const info = dimensions[dimension];
  const fits = (wanted: Powers): boolean => wanted.every((power, k) => power === powers[k]);
  if (!fits(info.powers) && !(info.also && fits(info.also))) return { ok: false, message: expected };
  const value = Number(`${match[1]}e${Number(match[2] ?? 0) + exponent}`) * factor;
  return Number.isFinite(value) ? { ok: true, value } : { ok: false, message: `too large: ${expected}` };
}

/** True if a text is a number followed by a unit, of any dimension: distinguishes quantities from formulas. */
export function looksLikeQuantity(text: string): boolean {
  return /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*[A-Za-zµμ°]/.test(text);
}
