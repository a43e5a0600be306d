/**
 * The page for tests and for scripts that take pictures: what is drawn where, and what runs. A page that sets `window.tendrilScripting`
 * before it loads this one has it as `window.tendrilStudio`; nobody else fetches it.
 */
import { shownRun } from './connection.ts';
import { figureSvg } from './figure.ts';
import { layoutOfLane } from './frameLayout.ts';
import { seek } from './playback.ts';
import { forceKinds, forceStride } from './protocol.ts';
import * as state from './state.ts';
import { renderThumbnail } from './thumbnails.ts';
import { current } from './ui/current.ts';

declare global {
  interface Window {
    tendrilStudio: {
      readonly renderThumbnail: typeof renderThumbnail;
      /** Where a node is on the page [pixels]. */
      place(rod: number, node: number): { x: number; y: number } | undefined;
      /** Where it was drawn last, on the page [pixels]. */
      drawnAt(rod: number, node: number): { x: number; y: number } | undefined;
      /** Where it is in the scene [m], in the newest frame. */
      position(rod: number, node: number): number[];
      /** Pins that hold, of the first lane. */
      pins(): { rod: number; node: number }[];
      /** How many hairs are drawn, and their nodes. */
      hair(): { hairs: number; nodes: number };
      /** Arrows of the newest frame: what each stands for, where it begins [m], the force [N]. */
      forces(): { kind: string; place: number[]; force: number[] }[];
      /** Both ends of the rubber band on the page [pixels], while a hand pulls. */
      pull(): { rod: { x: number; y: number }; hand: { x: number; y: number } } | undefined;
      /** Where lanes are in the view [pixels]. */
      lanes(): { x: number; y: number; width: number; height: number }[];
      /** Where a collider is drawn [m]. */
      collider(index: number): number[] | undefined;
      readonly drawTime: number;
      /** Pauses the run at a time [s] that it has reached, and frames what is there then. */
      showAt(time: number): Promise<void>;
      /** Pictures in the mean that is shown; 0 while something moves. */
      readonly passes: number;
      /** Number of the run, times of the first and last frame, their number, samples of energies and of the ghost, and the scene's values. */
      run(): {
        number: number;
        first: number;
        last: number;
        frames: number;
        samples: number;
        ghost: number;
        values: string;
      };
      /** The scene that is open. */
      text(): string;
      /** Resolved when a picture of what is known now was drawn. */
      drawn(): Promise<void>;
      /** What is drawn now, as PNG. */
      picture(): Promise<Blob | undefined>;
      /** The same as a figure. */
      svg(): Promise<string>;
    };
  }
}

const position = (rod: number, node: number): number[] => {
  const { frames } = state.frames;
  const lane = state.loaded.value?.lanes[0];
  const data = frames[frames.length - 1]?.lanes[0]?.data;
  if (!lane || !data) return [];
  const at = layoutOfLane(lane).rods[rod];
  return at ? Array.from(data.subarray(at.position + 3 * node, at.position + 3 * node + 3)) : [];
};

const drawn = (): Promise<void> => new Promise((resolve) => void current.waiting.push(resolve));

export const scripting: Window['tendrilStudio'] = {
  renderThumbnail,
  position,
  place: (rod, node) => current.view?.project(position(rod, node), 0),
  drawnAt: (rod, node) => current.view?.drawnAt(rod, node),
  pins: () =>
    (state.loaded.value?.lanes[0]?.pins ?? [])
      .filter(({ released }) => !released)
      .map(({ rod, node }) => ({ rod, node })),
  hair: () => {
    const rods = state.loaded.value?.lanes[0]?.rods ?? [];
    return { hairs: rods.length, nodes: rods[0]?.nodeCount ?? 0 };
  },
  forces: () => {
    const { frames } = state.frames;
    const list = frames[frames.length - 1]?.lanes[0]?.forces ?? new Float32Array(0);
    return Array.from({ length: list.length / forceStride }, (_, k) => {
      const [kind, ...rest] = list.subarray(forceStride * k, forceStride * (k + 1));
      return { kind: forceKinds[kind], place: rest.slice(0, 3), force: rest.slice(3) };
    });
  },
  pull: () => {
    const { view } = current;
    const band = view?.pulled();
    return view && band && { rod: view.project(band.rod, 0), hand: view.project(band.hand, 0) };
  },
  lanes: () => [...(current.view?.laneRects ?? [])],
  collider: (index) => current.view?.colliderAt(index),
  run: () => ({
    number: shownRun(),
    first: state.frames.first,
    last: state.frames.last,
    frames: state.frames.frames.length,
    samples: state.frames.stats.length,
    ghost: state.ghostStats.value.length,
    values: JSON.stringify(state.loaded.value?.values),
  }),
  text: () => state.text.value,
  drawn,
  picture: async () => current.view?.picture('image/png'),
  svg: async () => (current.view ? figureSvg(current.view) : ''),
  get drawTime() {
    return current.view?.drawTime ?? 0;
  },
  async showAt(time) {
    // colours and camera remember what they have seen
    const { value: colorBy } = state.colorBy;
    state.colorBy.value = 'plain';
    seek(state.frames.first);
    await drawn();
    state.colorBy.value = colorBy;
    seek(time);
    await drawn();
    current.view?.focus();
    await drawn();
  },
  get passes() {
    return current.view?.passes ?? 0;
  },
};
