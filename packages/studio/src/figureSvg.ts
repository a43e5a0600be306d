/** Writes a figure as SVG. */
import type { Figure, Point, Shape } from './shapes.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const one = (x: number): string => x.toFixed(1);
const point = ([x, y]: Point): string => `${one(x)} ${one(y)}`;
const path = (points: readonly Point[]): string => `M${point(points[0])}L${points.slice(1).map(point).join(' ')}`;
const named = (name: string | undefined): string => (name === undefined ? '' : ` class="${name}"`);

function write(shape: Shape, index: number): string {
  switch (shape.type) {
    case 'line': {
      const { points, closed, stroke, width, isCut, name } = shape;
      const cap = isCut ? ' stroke-linecap="butt"' : '';
      return `<path${named(name)} d="${path(points)}${closed ? 'Z' : ''}" stroke="${stroke}"${cap} stroke-width="${width.toFixed(2)}"/>`;
    }
    case 'area':
      return `<path d="${path(shape.points)}Z" fill="${shape.fill}"/>`;
    case 'disc': {
      const { at, radius, fill, name } = shape;
      return `<circle${named(name)} cx="${one(at[0])}" cy="${one(at[1])}" r="${radius.toFixed(2)}" fill="${fill}"/>`;
    }
    case 'text': {
      const { at, anchor = 'start', words, size, bold, fill } = shape;
      const more = `${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}${bold ? ' font-weight="600"' : ''}`;
      return `<text x="${one(at[0])}" y="${one(at[1])}" fill="${fill}" font-family="system-ui, sans-serif" font-size="${size}"${more}>${escaped(words)}</text>`;
    }
    case 'scale': {
      const { at, width, height, colors } = shape;
      const stops = colors.map((color, k) => `<stop offset="${k / (colors.length - 1)}" stop-color="${color}"/>`);
      const gradient = `<defs><linearGradient id="scale${index}">${stops.join('')}</linearGradient></defs>`;
      return `${gradient}<rect x="${one(at[0])}" y="${one(at[1])}" width="${width}" height="${height}" rx="2" fill="url(#scale${index})"/>`;
    }
  }
}

/** `size`: of the picture, where that is not the size of the figure [pixels]. */
export function writeSvg(
  { width, height, background, title, shapes }: Figure,
  size: { readonly width: number; readonly height: number } = { width, height },
): string {
  const ground = background === undefined ? '' : `<rect width="${width}" height="${height}" fill="${background}"/>\n`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${width} ${height}" fill="none" stroke-linecap="round" stroke-linejoin="round">
<title>${escaped(title)}</title>
${ground}${shapes.map(write).join('\n')}
</svg>
`;
}
