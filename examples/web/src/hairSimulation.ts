/** The worker: gets the file of the head, then posts the nodes of all strands after every step. */
import { contact } from '@tendril-sim/core/contact';
import { helix } from '@tendril-sim/core/models/helix';
import { createWorld } from '@tendril-sim/core/world';
import { makeHair } from './hairScene.ts';

const scope = globalThis as unknown as {
  onmessage: (event: { readonly data: Uint8Array }) => void;
  postMessage(frame: { readonly time: number; readonly strands: Float64Array[] }): void;
};

scope.onmessage = ({ data }) => {
  const scene = makeHair(data);
  const world = createWorld(scene, { models: [helix], contact });
  const timer = setInterval(() => {
    world.step();
    scope.postMessage({ time: world.time, strands: world.samples.map(({ nodePosition }) => nodePosition.slice()) });
    if (world.time > 11.9) clearInterval(timer);
  }, 8);
};
