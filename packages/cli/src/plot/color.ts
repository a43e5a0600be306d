/**
 * Colours that colour-blind readers can tell apart (Okabe and Ito), and ramps from pale to saturated.
 * Ramps mix in Oklab, where equal steps look equal; mixing sRGB numbers makes the middle muddy.
 */

export const okabeIto = {
  black: '#000000',
  orange: '#e69f00',
  sky: '#56b4e9',
  green: '#009e73',
  yellow: '#f0e442',
  blue: '#0072b2',
  vermillion: '#d55e00',
  purple: '#cc79a7',
} as const;

/** One hue a rod: pale, middle, strong. */
const hues: readonly (readonly [string, string, string])[] = [
  ['#dbe7ee', '#74bbe3', '#005f9e'],
  ['#f3e3d3', '#efa766', '#c24e00'],
  ['#d8ebe3', '#63c3a2', '#007a58'],
  ['#eedfe8', '#d99bc0', '#a3457f'],
  ['#f1ead0', '#e6be4c', '#a97400'],
  ['#e2e4e8', '#9aa3b0', '#3b4654'],
];
export const hueCount: number = hues.length;

type Triple = readonly [number, number, number];

function toOklab(hex: string): Triple {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function toHex([lightness, a, b]: Triple): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${channels
    .map((c) => {
      const v = Math.min(1, Math.max(0, c));
      const encoded = v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
      return Math.round(encoded * 255)
        .toString(16)
        .padStart(2, '0');
    })
    .join('')}`;
}

export function mix(from: string, to: string, amount: number): string {
  const a = toOklab(from);
  const b = toOklab(to);
  return toHex([a[0] + (b[0] - a[0]) * amount, a[1] + (b[1] - a[1]) * amount, a[2] + (b[2] - a[2]) * amount]);
}

/** Colour of rod `hue` at `amount` 0 (pale, early) … 1 (strong, last). */
export function ramp(hue: number, amount: number): string {
  const [pale, middle, strong] = hues[hue % hues.length];
  return amount < 0.5 ? mix(pale, middle, amount * 2) : mix(middle, strong, amount * 2 - 1);
}
