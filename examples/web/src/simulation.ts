/**
 * The worker: steps the world in real time and posts the arrays that the page draws.
 * The page posts `{ node, target }` while the pointer pulls at a node, and `{ node: -1 }` on release.
 */
import { createPointSpring, type PointSpring } from '@tendril-sim/core';
import { der } from '@tendril-sim/core/models/der';
import { createWorld } from '@tendril-sim/core/world';
import { rope } from './scene.ts';

export interface Pull {
  readonly node: number;
  readonly target?: readonly number[];
}

export interface Frame {
  readonly nodePosition: Float64Array;
  readonly edgeDirector: Float64Array;
}

const step = 1 / 240;
// loads one model; `createWorld` of @tendril-sim/core would load all six
const world = createWorld(rope, { models: [der] });
let hand: { readonly node: number; readonly spring: PointSpring; readonly release: () => void } | undefined;

function pull({ node, target }: Pull): void {
  if (hand && hand.node !== node) {
    hand.release();
    hand = undefined;
  }
  if (node < 0 || !target) return;
  if (!hand) {
    // damping of at least stiffness × step keeps the implicit solver stable
    const spring = createPointSpring(node, 400, 4);
    hand = { node, spring, release: world.addLoad(0, spring) };
  }
  hand.spring.target.set(target);
}

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: Pull }) => void;
  postMessage(frame: Frame, transfer: ArrayBuffer[]): void;
};
scope.onmessage = ({ data }) => pull(data);

const start = performance.now();
setInterval(() => {
  // at most four steps per tick, so on a slow machine the rope moves in slow motion and the page stays responsive
  const due = Math.floor((performance.now() - start) / 1000 / step) - world.stepCount;
  for (let k = 0; k < Math.min(due, 4); k++) world.step(step);
  const { nodePosition, edgeDirector } = world.samples[0];
  const frame = { nodePosition: nodePosition.slice(), edgeDirector: edgeDirector.slice() };
  scope.postMessage(frame, [frame.nodePosition.buffer, frame.edgeDirector.buffer]);
}, 16);
