/** Amounts with units, of whatever dimension: "2 GPa" becomes 2e9 in Pa. */
import { dimensions, parseUnit, type Unit } from '@tendril-sim/io';

export interface Amount {
  readonly value: number;
  /** SI unit as a symbol; undefined for a plain number. */
  readonly unit?: string;
}

const quantityPattern = /^\s*([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+))?\s*(.*?)\s*$/u;

/** A number, with `unit` if one is given, or text with a unit; undefined for other text. Throws RangeError for an unknown unit. */
export function readAmount(input: unknown, unit?: string): Amount | undefined {
  if (typeof input === 'number') return unit === undefined ? { value: input } : scale(String(input), 0, unit);
  if (typeof input !== 'string') return undefined;
  const match = quantityPattern.exec(input);
  if (!match) return undefined;
  const written = match[3] === '' ? unit : match[3];
  const exponent = Number(match[2] ?? 0);
  if (written === undefined) return { value: Number(`${match[1]}e${exponent}`) };
  return scale(match[1], exponent, written);
}

function scale(digits: string, exponent: number, unit: string): Amount {
  const parsed = parseUnit(unit.startsWith('/') ? `1${unit}` : unit);
  if (!parsed.ok) throw new RangeError(parsed.message);
  // as in @tendril-sim/io: the power of ten joins the digits, so that "0.06 mm" is the double nearest to 6e-5
  const [mantissa, own = '0'] = digits.toLowerCase().split('e');
  const value = Number(`${mantissa}e${Number(own) + exponent + parsed.unit.exponent}`) * parsed.unit.factor;
  return { value, unit: siSymbol(parsed.unit) };
}

const bases = ['kg', 'm', 's', 'rad'] as const;

/** `Pa` for the powers of GPa; composed of kg, m, s and rad if no dimension of scenes has them. */
export function siSymbol({ powers }: Pick<Unit, 'powers'>): string {
  const known = Object.values(dimensions).find((info) => info.powers.every((power, k) => power === powers[k]));
  if (known) return known.si;
  const parts = bases.flatMap((base, k) => (powers[k] === 0 ? [] : [powers[k] === 1 ? base : `${base}^${powers[k]}`]));
  return parts.join('*') || '1';
}
