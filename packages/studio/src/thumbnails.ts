/**
 * Pictures of the cases: rendered by `npm run thumbnails` with the page's own view, and by the page itself, when it has
 * nothing else to do, for cases that are newer than that.
 */
import { startClient } from './client.ts';
import { layoutOfLane } from './frameLayout.ts';
import * as state from './state.ts';
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
      { lanes: [{ ...answer.lane, rods }], colliders: answer.colliders, gravity: [0, 0, 0] },
      { keepCamera: false },
    );
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
    view.render(0.02);
    const fine = await view.picture('image/png');
    view.dispose();
    return fine && shrink(fine);
  } catch {
    return undefined;
  } finally {
    client.close();
    host.remove();
  }
}

/** The fine picture at the size of a card. */
async function shrink(picture: Blob): Promise<Blob | undefined> {
  const bitmap = await createImageBitmap(picture, { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' });
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/webp', 0.8));
}
