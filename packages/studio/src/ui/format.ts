/** Numbers for people: few digits, no needless exponents. */
export function formatNumber(x: number, digits = 3): string {
  if (!Number.isFinite(x)) return x > 0 ? '∞' : x < 0 ? '−∞' : '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [lead, power] = x.toExponential(Math.max(0, digits - 1)).split('e');
    return `${trim(lead)}·10${superscript(Number(power))}`.replace('-', '−');
  }
  return trim(x.toPrecision(digits)).replace('-', '−');
}

/** As it may be written in a field with room for so many letters: exact where it fits, else rounded, never cut off. */
export function shortNumber(x: number, room = 9): string {
  const written = (value: number): string => {
    const [plain, power] = [String(value), value.toExponential().replace('e+', 'e')];
    return plain.length > 6 && power.length < plain.length ? power : plain;
  };
  for (let digits = 17; digits > 1; digits--) {
    const text = written(digits === 17 ? x : Number(x.toPrecision(digits)));
    if (text.length <= room) return text;
  }
  return Number(x.toPrecision(1)).toExponential().replace('e+', 'e');
}

/** Numbers of an axis with as many digits as tell neighbours apart; `unit` is written behind the last. */
export function formatTicks(values: readonly (number | null)[], unit = ''): string[] {
  const known = values.filter((value): value is number => value !== null);
  const step = known.slice(1).reduce((least, value, k) => Math.min(least, Math.abs(value - known[k])), Infinity);
  const most = known.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const digits = Number.isFinite(step) && step > 0 ? Math.ceil(Math.log10(most / step) - 1e-9) + 1 : 3;
  const last = values.findLastIndex((value) => value !== null);
  return values.map((value, k) => {
    if (value === null) return '';
    // each number relative to the largest: trailing zeros are cut, differences are not
    const own = value === 0 ? 1 : Math.max(1, digits + Math.ceil(Math.log10(Math.abs(value) / most) - 1e-9));
    const text = formatNumber(Math.abs(value) < 1e-9 * most ? 0 : value, Math.min(15, Math.max(own, 2)));
    return k === last && unit ? `${text} ${unit}` : text;
  });
}

const prefixes = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
] as const;
/** Units that are said with these prefixes; length has centimetres too, and nobody says kilometre here. */
const prefixed = new Set(['N', 'Pa', 'm', 's', 'J']);

/** With the prefix of its unit that makes it a small number: 5 MPa, 1.5 mm. */
export function formatQuantity(
  x: number,
  unit: string,
  digits = 3,
): { readonly number: string; readonly unit: string } {
  const size = Math.abs(x);
  const known = prefixes.filter(([power]) => unit !== 'm' || power <= 1);
  const [power, prefix] = known.find(([least]) => size >= 0.999 * least) ?? known[known.length - 1];
  if (!prefixed.has(unit) || size === 0) return { number: formatNumber(x, digits), unit };
  return { number: formatNumber(x / power, digits), unit: `${prefix}${unit}` };
}

/** `m/s^2` as m/s², `N m²` as N·m². */
export function formatUnit(unit: string): string {
  return unit
    .replace('^2', '²')
    .replace('^3', '³')
    .replace(/(?<=\w|²|³) (?=\w)/g, '·');
}

export function formatForce(newtons: number): string {
  const { number, unit } = formatQuantity(newtons, 'N', 2);
  return `${number} ${unit}`;
}

function trim(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : String(Number(text));
}

const digitsAbove = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(n: number): string {
  return (n < 0 ? '⁻' : '') + [...String(Math.abs(n))].map((digit) => digitsAbove[Number(digit)]).join('');
}

/** With as many decimals as the whole run needs, so that the number does not jump. */
export function formatTime(t: number, whole: number): string {
  const decimals = whole >= 100 ? 1 : whole >= 10 ? 2 : whole >= 1 ? 3 : 4;
  return t.toFixed(decimals);
}
