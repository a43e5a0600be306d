/** Pictures to keep: what the view shows, with its legend, scale bar and title, as PNG, SVG or PDF. */
import { writePdf } from './figurePdf.ts';
import { writeSvg } from './figureSvg.ts';
import type { Figure, Shape } from './shapes.ts';
import * as state from './state.ts';
import { formatNumber } from './ui/format.ts';
import { laneColors, mapOf, quantities } from './view/colormaps.ts';
import type { View } from './view/viewTypes.ts';

const grounds = { light: '#fbfaf7', dark: '#12161d' } as const;
const inks = { light: '#1b1f27', dark: '#e9ebef' } as const;

const theme = (): 'light' | 'dark' => (state.dark.value ? 'dark' : 'light');

function text(x: number, y: number, words: string, more: Partial<Extract<Shape, { type: 'text' }>> = {}): Shape {
  return { type: 'text', at: [x, y], words, size: 12, fill: inks[theme()], ...more };
}

/** Title, time, scale bar and legend. */
function annotations(view: View): Shape[] {
  const { width, height } = view.size;
  const { pixels, label } = view.scaleBar();
  const base = height - 18;
  const bar = [
    [16, base - 6],
    [16, base],
    [16 + pixels, base],
    [16 + pixels, base - 6],
  ] as const;
  const { value: loaded } = state.loaded;
  return [
    { type: 'line', points: bar, stroke: inks[theme()], width: 1.5, isCut: true },
    text(16, base - 12, label),
    text(16, 26, loaded?.title ?? '', { bold: true }),
    ...(loaded ? [text(16, 44, `t = ${formatNumber(state.clock.value)} s`)] : []),
    ...(state.comparing.value ? namesOfLanes(view) : legend(view, width, base)),
  ];
}

/** The name of each model in its part of the picture; of models over each other, with their colours. */
function namesOfLanes(view: View): Shape[] {
  const lanes = state.loaded.value?.lanes ?? [];
  return lanes.flatMap(({ variant }, k): Shape[] => {
    const { x, y } = view.laneRects[k];
    if (!state.overlay.value) return [text(x + 16, y + 64, variant.label, { bold: true })];
    const line = y + 64 + 18 * k;
    return [
      { type: 'disc', at: [x + 21, line - 4], radius: 5, fill: laneColors[k % laneColors.length] },
      text(x + 34, line, variant.label),
    ];
  });
}

function legend(view: View, width: number, base: number): Shape[] {
  const { by, low, high } = view.legend();
  const map = mapOf(by, state.dark.value);
  const hairs = (state.loaded.value?.lanes[0]?.rods.length ?? 0) > 150;
  if (by === 'plain' || !map || hairs) return [];
  const { label, unit, signed } = quantities[by];
  const [x, size] = [width - 206, 190];
  const colors = map.map((channels) => `rgb(${channels.join(' ')})`);
  return [
    text(x, base - 26, `${label}, ${unit}`, { bold: true }),
    { type: 'scale', at: [x, base - 20], width: size, height: 8, colors },
    text(x, base + 4, formatNumber(low, 2)),
    text(x + size / 2, base + 4, formatNumber(signed ? 0 : high / 2, 2), { anchor: 'middle' }),
    text(x + size, base + 4, formatNumber(high, 2), { anchor: 'end' }),
  ];
}

async function figureOf(view: View): Promise<Figure> {
  const shapes = [...(await view.shapes()), ...annotations(view)];
  return { ...view.size, background: grounds[theme()], title: state.loaded.value?.title ?? '', shapes };
}

export const figureSvg = async (view: View): Promise<string> => writeSvg(await figureOf(view));

export const figurePdf = async (view: View): Promise<Uint8Array> => writePdf(await figureOf(view));

export async function figurePng(view: View): Promise<Blob | undefined> {
  const drawn = await view.picture('image/png');
  if (!drawn) return undefined;
  const bitmap = await createImageBitmap(drawn);
  const canvas = document.createElement('canvas');
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const pen = canvas.getContext('2d');
  if (!pen) return drawn;
  pen.fillStyle = grounds[theme()];
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(bitmap, 0, 0);
  const over = new Image();
  const marks = { ...view.size, background: undefined, title: '', shapes: annotations(view) };
  over.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(writeSvg(marks, canvas))}`;
  await over.decode();
  pen.drawImage(over, 0, 0);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
}
