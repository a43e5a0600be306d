/**
 * Pictures of the cases: rendered by `npm run thumbnails` with the page's own view, and by the page itself, when it has
 * nothing else to do, for cases that are newer than that.
 */
import { Vector3 } from 'three';
import { startClient } from './client.ts';
import { layoutOfLane } from './frameLayout.ts';
import type { ColliderInfo, Preview } from './protocol.ts';
import * as state from './state.ts';
import { upOf } from './view/frameCamera.ts';
import { createView } from './view/view.ts';

const files = import.meta.glob<string>('./thumbs/*.webp', { query: '?url', import: 'default', eager: true });

const known = new Map<string, Promise<string | undefined>>();

export function thumbnailOf(id: string): Promise<string | undefined> {
  const file = files[`./thumbs/${id}.webp`];
  if (file) return Promise.resolve(file);
  let picture = known.get(id);
  if (!picture) {
    picture = queue.then(() => renderThumbnail(id)).then((blob) => (blob ? URL.createObjectURL(blob) : undefined));
    queue = picture.then(() => undefined);
    known.set(id, picture);
  }
  return picture;
}

/** One after the other, after the page has settled. */
let queue: Promise<void> = new Promise((resolve) => setTimeout(resolve, 4000));

const width = 400;
const height = 244;

/** The view of a case on a canvas of its own, transparent: it fits a light and a dark page. `patience`: seconds to run. */
export async function renderThumbnail(id: string, patience = 6): Promise<Blob | undefined> {
  const one = state.cases.find((candidate) => candidate.id === id);
  if (!one) return undefined;
  const client = startClient();
  const host = document.createElement('div');
  host.style.cssText = `position:fixed;left:-9999px;width:${width}px;height:${height}px`;
  const canvas = document.createElement('canvas');
  host.append(canvas);
  document.body.append(host);
  try {
    const answer = await client.ask('preview', { id, patience });
    const view = createView(canvas);
    const lane = { data: answer.data, stats: new Float64Array(9), cost: 0 };
    const frame = { time: 0, lanes: [lane] };
    // framed on the shape it has now, not on the one it began with
    const rods = answer.lane.rods.map((rod, r) => {
      const { position } = layoutOfLane(answer.lane).rods[r];
      return { ...rod, nodePosition: answer.data.slice(position, position + 3 * rod.nodeCount) };
    });
    view.load(
      {
        lanes: [{ ...answer.lane, rods }],
        colliders: answer.colliders.filter((one) => !isFloor(one, answer)),
        gravity: answer.gravity,
      },
      { keepCamera: false },
    );
    // things in the way are seen a little beyond the rods; margins are cut off below
    view.zoom(1 / margin);
    // the colours of the dark page, which are seen on a light one too
    view.setOptions({
      colorBy: answer.colorBy,
      stripe: true,
      finish: state.cases.find((one) => one.id === id)?.finish ?? 'rubber',
      ghost: false,
      frames: false,
      forces: false,
      dark: true,
      grid: false,
      overlay: false,
      hairColor: '#c08a5a',
    });
    view.show(frame, frame, 0);
    view.show(frame, frame, 0);
    // the camera comes to rest
    view.render(10);
    const fine = await view.picture('image/png');
    view.dispose();
    return fine && (await cut(fine));
  } catch {
    return undefined;
  } finally {
    client.close();
    host.remove();
  }
}

/** Whether a plane is level: its shadow says enough, and its rim would be cut. */
function isFloor({ type, normal }: ColliderInfo, { gravity }: Preview): boolean {
  if (type !== 'plane') return false;
  const [x, y, z] = Array.isArray(normal) ? (normal as number[]) : [0, 0, 1];
  return new Vector3(x, y, z).normalize().dot(upOf(gravity)) > 0.99;
}

/** How much farther the camera stands than for the view. */
const margin = 1.25;
/** The largest magnification of a cut: rods of a pixel's width are not to become bars. */
const magnification = 2.2;

/** The part of the fine picture that shows something, at the size of a card. */
async function cut(picture: Blob): Promise<Blob | undefined> {
  const bitmap = await createImageBitmap(picture);
  const whole = document.createElement('canvas');
  whole.width = bitmap.width;
  whole.height = bitmap.height;
  const reading = whole.getContext('2d', { willReadFrequently: true });
  if (!reading) return undefined;
  reading.drawImage(bitmap, 0, 0);
  const { x, y, scale } = contentOf(reading.getImageData(0, 0, bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext('2d');
  if (!pen) return undefined;
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(bitmap, x, y, scale * bitmap.width, scale * bitmap.height, 0, 0, width, height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/webp', 0.8));
}

/** The smallest part of the picture, of its shape, that has all rods and things with a margin; shadows do not count. */
function contentOf({ data, width: w, height: h }: ImageData): { x: number; y: number; scale: number } {
  let [left, right, top, bottom] = [w, 0, h, 0];
  for (let k = 0; k < w * h; k++) {
    const isShadow = Math.max(data[4 * k], data[4 * k + 1], data[4 * k + 2]) < 24;
    if (data[4 * k + 3] < 128 || isShadow) continue;
    const [x, y] = [k % w, Math.floor(k / w)];
    left = Math.min(left, x);
    right = Math.max(right, x + 1);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y + 1);
  }
  if (left >= right) return { x: 0, y: 0, scale: 1 };
  const wanted = 1.16 * Math.max((right - left) / w, (bottom - top) / h);
  const scale = Math.min(1, Math.max(1 / magnification, wanted));
  const place = (from: number, to: number, size: number): number =>
    Math.min(Math.max(0, (from + to) / 2 - (scale * size) / 2), (1 - scale) * size);
  return { x: place(left, right, w), y: place(top, bottom, h), scale };
}
