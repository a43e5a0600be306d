/**
 * SVG as text, written by hand: the same data gives the same bytes, so pictures can be compared and cached.
 * Numbers are rounded to a hundredth of a pixel, which is invisible and keeps files small.
 */

export const ink = '#1f2933';
export const inkSoft = '#6b7783';
export const gridColor = '#e8ebee';
export const paper = '#ffffff';
/** Verdana has nearly the metrics of DejaVu Sans, so the layout survives where DejaVu is missing. */
export const fontFamily = "'DejaVu Sans', Verdana, sans-serif";

/** A coordinate with at most two decimals, without trailing zeros and without a negative zero. */
export function num(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}

export function escapeXml(text: string): string {
  return (
    text
      // Characters that XML 1.0 forbids even when escaped would make the whole file unreadable.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what is removed
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
  );
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

export function element(name: string, attributes: Attributes, content?: string): string {
  let out = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) out += ` ${key}="${typeof value === 'number' ? num(value) : escapeXml(value)}"`;
  }
  return content === undefined ? `${out}/>` : `${out}>${content}</${name}>`;
}

export interface TextOptions {
  readonly size?: number;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly bold?: boolean;
  readonly rotate?: number;
  /** White outline behind the letters, for text over drawings. */
  readonly halo?: boolean;
}

export function text(x: number, y: number, content: string, options: TextOptions = {}): string {
  const { size = 11, fill = ink, anchor, bold, rotate, halo } = options;
  return element(
    'text',
    {
      x,
      y,
      'font-size': size,
      fill,
      'text-anchor': anchor === 'start' ? undefined : anchor,
      'font-weight': bold ? 'bold' : undefined,
      transform: rotate ? `rotate(${num(rotate)} ${num(x)} ${num(y)})` : undefined,
      stroke: halo ? paper : undefined,
      'stroke-width': halo ? 3 : undefined,
      'stroke-linejoin': halo ? 'round' : undefined,
      'paint-order': halo ? 'stroke' : undefined,
    },
    escapeXml(content),
  );
}

/** How a line is drawn: width [pixels], default 1; `dash` as in SVG. */
export interface LineStyle {
  readonly stroke: string;
  readonly width?: number;
  readonly dash?: string | undefined;
}

export function line(x1: number, y1: number, x2: number, y2: number, { stroke, width = 1, dash }: LineStyle): string {
  return element('line', { x1, y1, x2, y2, stroke, 'stroke-width': width, 'stroke-dasharray': dash });
}

/** Path through the points (x, y pairs); points that would not move the pen by a tenth of a pixel are left out. */
export function pathData(points: ArrayLike<number>, close = false): string {
  let out = '';
  let lastX = Number.NaN;
  let lastY = Number.NaN;
  const end = points.length - 2;
  for (let i = 0; i <= end; i += 2) {
    const x = points[i];
    const y = points[i + 1];
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    if (i < end && Math.abs(x - lastX) < 0.1 && Math.abs(y - lastY) < 0.1) continue;
    out += `${out === '' ? 'M' : 'L'}${num(x)} ${num(y)}`;
    lastX = x;
    lastY = y;
  }
  return close ? `${out}Z` : out;
}

/** A smooth path through the points (Catmull–Rom), for curves that are sampled more coarsely than they are seen. */
export function smoothPathData(points: ArrayLike<number>): string {
  const count = points.length / 2;
  const at = (i: number, axis: number): number => points[2 * Math.min(count - 1, Math.max(0, i)) + axis];
  if (count === 0) return '';
  let out = `M${num(at(0, 0))} ${num(at(0, 1))}`;
  for (let i = 0; i + 1 < count; i++) {
    const control = (from: number, to: number, base: number, sign: number, axis: number): string =>
      num(at(base, axis) + (sign * (at(to, axis) - at(from, axis))) / 6);
    const first = `${control(i - 1, i + 1, i, 1, 0)} ${control(i - 1, i + 1, i, 1, 1)}`;
    const second = `${control(i, i + 2, i + 1, -1, 0)} ${control(i, i + 2, i + 1, -1, 1)}`;
    out += `C${first} ${second} ${num(at(i + 1, 0))} ${num(at(i + 1, 1))}`;
  }
  return out;
}

/** A complete document. */
export function document(width: number, height: number, title: string, body: readonly string[], defs = ''): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${num(width)}" height="${num(height)}" viewBox="0 0 ${num(width)} ${num(height)}" font-family="${fontFamily}" fill="none">`,
    `<title>${escapeXml(title)}</title>`,
    ...(defs === '' ? [] : [`<defs>${defs}</defs>`]),
    `<rect width="${num(width)}" height="${num(height)}" fill="${paper}"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

/** Advance widths of DejaVu Sans for the characters from space to tilde, in thousandths of the font size. */
const advances = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
  636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
  748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
  615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
  337, 636, 838,
];

/** Width of a text in pixels. Bold letters of the same family are about a tenth wider. */
export function textWidth(content: string, size = 11, { bold = false }: { readonly bold?: boolean } = {}): number {
  let sum = 0;
  for (const character of content) sum += advances[(character.codePointAt(0) ?? 0) - 32] ?? 700;
  return (sum / 1000) * size * (bold ? 1.1 : 1);
}

/** Cuts a text that is too long for its place, at a whole character. */
export function fitText(
  content: string,
  width: number,
  size = 11,
  { bold = false }: { readonly bold?: boolean } = {},
): string {
  if (textWidth(content, size, { bold }) <= width) return content;
  const characters = [...content];
  while (characters.length > 1 && textWidth(`${characters.join('')}…`, size, { bold }) > width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}
