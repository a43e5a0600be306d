/** Pictures to keep: what the view shows, with its legend, scale bar and title, as PNG or SVG. */
import * as state from './state.ts';
import { formatNumber } from './ui/format.ts';
import { mapOf, quantities } from './view/colormaps.ts';
import type { View } from './view/viewTypes.ts';

const grounds = { light: '#fbfaf7', dark: '#12161d' } as const;
const font = 'font-family="system-ui, sans-serif" font-size="12"';

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Legend, scale bar, title and time, for a picture of this size [pixels]. */
function annotations(view: View, width: number, height: number): string {
  const ink = state.dark.value ? '#e9ebef' : '#1b1f27';
  const text = (x: number, y: number, words: string, more = ''): string =>
    `<text x="${x}" y="${y}" fill="${ink}" stroke="none" ${font} ${more}>${escaped(words)}</text>`;
  const { pixels, label } = view.scaleBar();
  const base = height - 18;
  const bar = `<path d="M16 ${base - 6}V${base}H${16 + pixels}V${base - 6}" stroke="${ink}" fill="none" stroke-width="1.5"/>${text(16, base - 12, label)}`;
  const title = state.loaded.value?.title ?? '';
  const time = state.loaded.value ? `t = ${formatNumber(state.clock.value)} s` : '';
  return `<g class="annotations">${bar}${text(16, 26, title, 'font-weight="600"')}${text(16, 44, time)}${legend(view, width, base, text)}</g>`;
}

function legend(
  view: View,
  width: number,
  base: number,
  text: (x: number, y: number, words: string, more?: string) => string,
): string {
  const { by, low, high } = view.legend();
  const map = mapOf(by, state.dark.value);
  const hairs = (state.loaded.value?.lanes[0]?.rods.length ?? 0) > 150;
  if (state.comparing.value) {
    const names = state.loaded.value?.lanes.map(({ variant }) => variant.label) ?? [];
    const rects = view.laneRects;
    return names.map((name, k) => text(rects[k].x + 16, rects[k].y + 64, name, 'font-weight="600"')).join('');
  }
  if (by === 'plain' || !map || hairs) return '';
  const { label, unit, signed } = quantities[by];
  const [x, size] = [width - 206, 190];
  const stops = map.map(([r, g, b], k) => `<stop offset="${k / (map.length - 1)}" stop-color="rgb(${r} ${g} ${b})"/>`);
  return [
    `<defs><linearGradient id="legend">${stops.join('')}</linearGradient></defs>`,
    text(x, base - 26, `${label}, ${unit}`, 'font-weight="600"'),
    `<rect x="${x}" y="${base - 20}" width="${size}" height="8" rx="2" fill="url(#legend)" stroke="none"/>`,
    text(x, base + 4, formatNumber(low, 2)),
    text(x + size / 2, base + 4, formatNumber(signed ? 0 : high / 2, 2), 'text-anchor="middle"'),
    text(x + size, base + 4, formatNumber(high, 2), 'text-anchor="end"'),
  ].join('');
}

export function figureSvg(view: View): Promise<string> {
  const ground = grounds[state.dark.value ? 'dark' : 'light'];
  return view.svg(ground, (width, height) => annotations(view, width, height));
}

export async function figurePng(view: View): Promise<Blob | undefined> {
  const drawn = await view.picture('image/png');
  if (!drawn) return undefined;
  const bitmap = await createImageBitmap(drawn);
  const { width, height } = view.size;
  const canvas = document.createElement('canvas');
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const pen = canvas.getContext('2d');
  if (!pen) return drawn;
  pen.fillStyle = grounds[state.dark.value ? 'dark' : 'light'];
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(bitmap, 0, 0);
  const over = new Image();
  const size = `width="${canvas.width}" height="${canvas.height}" viewBox="0 0 ${width} ${height}"`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${annotations(view, width, height)}</svg>`;
  over.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await over.decode();
  pen.drawImage(over, 0, 0);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
}
