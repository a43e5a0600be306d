/** Ticks at round numbers, and quantities with a suitable SI prefix. */

export interface Prefix {
  readonly symbol: string;
  readonly factor: number;
}

const prefixes: readonly Prefix[] = [
  { symbol: 'p', factor: 1e-12 },
  { symbol: 'n', factor: 1e-9 },
  { symbol: 'µ', factor: 1e-6 },
  { symbol: 'm', factor: 1e-3 },
  { symbol: '', factor: 1 },
  { symbol: 'k', factor: 1e3 },
  { symbol: 'M', factor: 1e6 },
  { symbol: 'G', factor: 1e9 },
  { symbol: 'T', factor: 1e12 },
];

/** The prefix for which `largest` lies between 1 and 1000; values beyond the table keep its end. */
export function choosePrefix(largest: number): Prefix {
  const magnitude = Math.abs(largest);
  let best = prefixes[4];
  if (!(magnitude > 0) || !Number.isFinite(magnitude)) return best;
  best = prefixes[0];
  // a value a hair below the next prefix (0.9999 after rounding errors) still belongs to it
  for (const prefix of prefixes) if (magnitude * (1 + 1e-9) >= prefix.factor) best = prefix;
  return best;
}

/** Largest of 1, 2, 5 × 10ᵏ that is at most `value`. */
export function niceFloor(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const mantissa = (value / power) * (1 + 1e-9);
  return (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1) * power;
}

/** Round ticks inside [low, high], about `count` of them. */
export function niceTicks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const raw = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const mantissa = raw / power;
  const step = (mantissa < 1.5 ? 1 : mantissa < 3 ? 2 : mantissa < 7 ? 5 : 10) * power;
  const ticks: number[] = [];
  // adding zero makes a negative zero plain
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step + 0);
  return ticks;
}

/** Ticks as texts with the same number of decimals, and a true minus sign. */
export function formatTicks(ticks: readonly number[], factor = 1): string[] {
  const values = ticks.map((tick) => tick / factor);
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]) || 1;
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return values.map((value) => minus((Math.abs(value) < step * 1e-9 ? 0 : value).toFixed(decimals)));
}

/** Three significant digits with a prefix: 0.0123 m → "12.3 mm". */
export function formatQuantity(value: number, unit: string, digits = 3): string {
  if (!Number.isFinite(value)) return `${value} ${unit}`;
  const { symbol, factor } = choosePrefix(value);
  return minus(`${shortNumber(value / factor, digits)} ${symbol}${unit}`).trimEnd();
}

/** Significant digits without trailing zeros. */
export function shortNumber(value: number, digits = 3): string {
  if (value === 0) return '0';
  return String(Number(value.toPrecision(digits)));
}

export function minus(content: string): string {
  return content.replace(/-/g, '−');
}

/** Linear map of [d0, d1] to [r0, r1]. */
export function linear(d0: number, d1: number, r0: number, r1: number): (value: number) => number {
  const slope = d1 === d0 ? 0 : (r1 - r0) / (d1 - d0);
  return (value) => r0 + (value - d0) * slope;
}

/** Logarithmic map of [d0, d1] to [r0, r1]; NaN for values that are not positive. */
export function logarithmic(d0: number, d1: number, r0: number, r1: number): (value: number) => number {
  const to = linear(Math.log(d0), Math.log(d1), r0, r1);
  return (value) => (value > 0 ? to(Math.log(value)) : Number.NaN);
}

const superscripts = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/** Powers of ten inside [low, high]; where they are few, 2 and 5 as well. Bare numbers as 10⁻³, quantities with their prefix. */
export function logTicks(low: number, high: number, unit: string): { ticks: number[]; labels: string[] } {
  const span = Math.log10(high / low);
  const mantissas = span < 2.2 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil(span / 9));
  const ticks: number[] = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    if (e % stride !== 0) continue;
    for (const m of mantissas) {
      const tick = m * 10 ** e;
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return { ticks, labels: ticks.map((tick) => (unit === '' ? powerOfTen(tick) : formatQuantity(tick, unit, 1))) };
}

function powerOfTen(value: number): string {
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  const mantissa = Math.round(value / 10 ** exponent);
  if (exponent >= -1 && exponent <= 3) return shortNumber(value, 1);
  const power = `10${exponent < 0 ? '⁻' : ''}${[...String(Math.abs(exponent))].map((d) => superscripts[Number(d)]).join('')}`;
  return mantissa === 1 ? power : `${mantissa}·${power}`;
}
