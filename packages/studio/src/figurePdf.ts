/**
 * Writes a figure as PDF 1.4: one page, shapes as vectors, text in the fonts that every reader has (Helvetica; Symbol for Greek letters).
 * Text outside of these fonts is written by its nearest plain letters, else as a question mark.
 */
import type { Figure, Paint, Point, Shape } from './shapes.ts';

/** A pixel of the page [points]. */
const pixel = 0.75;

const greek = new Map(
  [...'αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ'].map((letter, k) => [
    letter,
    'abgdezhqiklmnxoprstufcywABGDEZHQIKLMNXOPRSTUFCYW'[k],
  ]),
);
/** Codes of Windows 1252 that are not those of Unicode. */
const windows = new Map([
  ...[...'‚ƒ„…†‡ˆ‰Š‹Œ'].map((letter, k): [string, number] => [letter, 130 + k]),
  ...[...'‘’“”•–—˜™š›œ'].map((letter, k): [string, number] => [letter, 145 + k]),
  ['€', 128],
  ['Ž', 142],
  ['ž', 158],
  ['Ÿ', 159],
  // the minus sign: a dash is as long
  ['−', 150],
]);

type Font = 'F1' | 'F2' | 'F3';

/** A letter as the code of a font. */
function encode(letter: string, plain: Font): { font: Font; code: number } {
  const symbol = greek.get(letter);
  if (symbol !== undefined) return { font: 'F3', code: symbol.charCodeAt(0) };
  const code = windows.get(letter) ?? letter.codePointAt(0) ?? 63;
  const isKnown = code < 127 || windows.has(letter) || (code >= 160 && code < 256);
  if (isKnown) return { font: plain, code };
  const near = letter.normalize('NFKD').codePointAt(0) ?? 63;
  return { font: plain, code: near < 127 ? near : 63 };
}

const literal = (codes: readonly number[]): string =>
  codes
    .map((code) =>
      code > 32 && code < 127 && !'()\\'.includes(String.fromCharCode(code))
        ? String.fromCharCode(code)
        : `\\${code.toString(8).padStart(3, '0')}`,
    )
    .join('');

/** Width of a number [em]: digits and signs, of which all are as wide as in Helvetica. */
const widthOf = (words: string): number =>
  [...words].reduce(
    (sum, letter) => sum + ('.,: '.includes(letter) ? 0.278 : '+×'.includes(letter) ? 0.584 : 0.556),
    0,
  );

const short = (x: number): string => String(Number(x.toFixed(3)));
const place = ([x, y]: Point): string => `${short(x)} ${short(y)}`;

/** Red, green and blue, 0…1. */
function channels(paint: Paint): number[] {
  const hex = /^#(..)(..)(..)$/
    .exec(paint)
    ?.slice(1)
    .map((part) => Number.parseInt(part, 16));
  const numbers = hex ?? [...paint.matchAll(/\d+/g)].map(Number);
  return numbers.slice(0, 3).map((value) => value / 255);
}

const color = (paint: Paint): string => channels(paint).map(short).join(' ');
const outline = (points: readonly Point[]): string =>
  points.map((at, k) => `${place(at)} ${k === 0 ? 'm' : 'l'}`).join(' ');

/** Of a quarter of a circle: the distance of its control points, in radii. */
const quarter = 0.5523;

function disc([x, y]: Point, r: number): string {
  const c = quarter * r;
  const arc = (...points: Point[]): string => `${points.map(([dx, dy]) => place([x + dx, y + dy])).join(' ')} c`;
  return [
    `${place([x + r, y])} m`,
    arc([r, c], [c, r], [0, r]),
    arc([-c, r], [-r, c], [-r, 0]),
    arc([-r, -c], [-c, -r], [0, -r]),
    arc([c, -r], [r, -c], [r, 0]),
  ].join(' ');
}

function text({ at: [x, y], anchor = 'start', words, size, bold, fill }: Extract<Shape, { type: 'text' }>): string {
  const part = { start: 0, middle: 0.5, end: 1 }[anchor];
  const left = x - (part === 0 ? 0 : part * size * widthOf(words));
  const runs: { font: Font; codes: number[] }[] = [];
  for (const letter of words) {
    const { font, code } = encode(letter, bold ? 'F2' : 'F1');
    const last = runs[runs.length - 1];
    if (last?.font === font) last.codes.push(code);
    else runs.push({ font, codes: [code] });
  }
  const shown = runs.map(({ font, codes }) => `/${font} ${size} Tf (${literal(codes)}) Tj`).join(' ');
  return `BT ${color(fill)} rg 1 0 0 -1 ${place([left, y])} Tm ${shown} ET`;
}

function write(shape: Shape, scales: Extract<Shape, { type: 'scale' }>[]): string {
  switch (shape.type) {
    case 'line': {
      const { points, closed, stroke, width, isCut } = shape;
      return `${color(stroke)} RG ${short(width)} w ${isCut ? 0 : 1} J ${outline(points)} ${closed ? 's' : 'S'}`;
    }
    case 'area':
      return `${color(shape.fill)} rg ${outline(shape.points)} f`;
    case 'disc':
      return `${color(shape.fill)} rg ${disc(shape.at, shape.radius)} f`;
    case 'text':
      return text(shape);
    case 'scale': {
      const { at, width, height } = shape;
      scales.push(shape);
      return `q ${place(at)} ${short(width)} ${short(height)} re W n /S${scales.length} sh Q`;
    }
  }
}

/** Colours from left to right, in pieces between neighbours. */
function shading({ at: [x, y], width, colors }: Extract<Shape, { type: 'scale' }>): string {
  const pieces = colors.slice(1).map((next, k) => {
    const [from, to] = [colors[k], next].map((paint) => `[${color(paint)}]`);
    return `<< /FunctionType 2 /Domain [0 1] /C0 ${from} /C1 ${to} /N 1 >>`;
  });
  const bounds = pieces.slice(1).map((_, k) => short((k + 1) / pieces.length));
  const whole = `<< /FunctionType 3 /Domain [0 1] /Functions [${pieces.join(' ')}] /Bounds [${bounds.join(' ')}] /Encode [${pieces.map(() => '0 1').join(' ')}] >>`;
  return `<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [${place([x, y])} ${place([x + width, y])}] /Function ${whole} >>`;
}

async function deflate(content: string): Promise<Uint8Array> {
  const packed = new Blob([content]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

const font = (name: string, encoding = ' /Encoding /WinAnsiEncoding'): string =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name}${encoding} >>`;

export async function writePdf({ width, height, background, title, shapes }: Figure): Promise<Uint8Array> {
  const scales: Extract<Shape, { type: 'scale' }>[] = [];
  const ground = background === undefined ? '' : `${color(background)} rg 0 0 ${width} ${height} re f\n`;
  const drawn = shapes.map((shape) => write(shape, scales)).join('\n');
  const stream = await deflate(`${pixel} 0 0 ${-pixel} 0 ${short(pixel * height)} cm 1 j\n${ground}${drawn}\n`);
  const shadings = scales.map((scale, k) => `/S${k + 1} ${shading(scale)}`).join(' ');
  const heading = literal(
    [...title].map((letter) => encode(letter, 'F1')).map(({ font: used, code }) => (used === 'F3' ? 63 : code)),
  );
  return joinObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${short(pixel * width)} ${short(pixel * height)}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 7 0 R >> /Shading << ${shadings} >> >> >>`,
    { dictionary: `<< /Length ${stream.length} /Filter /FlateDecode >>`, stream },
    font('Helvetica'),
    font('Helvetica-Bold'),
    font('Symbol', ''),
    `<< /Title (${heading}) /Creator (Tendril) >>`,
  ]);
}

type Part = string | { readonly dictionary: string; readonly stream: Uint8Array };

/** Objects 1, 2 … and the table of where they are. The first is the catalogue, the last says what the document is. */
function joinObjects(objects: readonly Part[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  const starts: number[] = [];
  let length = 0;
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === 'string' ? encoder.encode(part) : part;
    parts.push(bytes);
    length += bytes.length;
  };
  add('%PDF-1.4\n');
  objects.forEach((object, k) => {
    starts.push(length);
    add(`${k + 1} 0 obj\n`);
    if (typeof object === 'string') add(object);
    else {
      add(`${object.dictionary}\nstream\n`);
      add(object.stream);
      add('\nendstream');
    }
    add('\nendobj\n');
  });
  const table = length;
  const rows = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`);
  const count = objects.length + 1;
  add(
    `xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}trailer\n<< /Size ${count} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${table}\n%%EOF\n`,
  );
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
