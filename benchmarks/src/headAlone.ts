/**
 * Frames of hair on a head in a process of their own: `node headAlone.js <hairs> <frames> <threads>`; prints what they took. See head.ts.
 * The first frames, in which the engine compiles what runs often, are not counted: two threads do that twice on the cores that they work on.
 */
import { createWorld } from '@tendril-sim/core';
import { loadDer, loadThreadedDer } from '@tendril-sim/core/kernels';
import { startThreads } from '@tendril-sim/io/node';
import { headScene } from './head.ts';

const [count, frames, threadCount] = process.argv.slice(2).map(Number);
const threads = threadCount > 1 ? startThreads(threadCount) : undefined;
const models = threads ? [await loadThreadedDer(threads.ports)] : [await loadDer()];
const world = createWorld(headScene(count, { head: true }), { models });
for (let k = 0; k < 5; k++) world.step();
let iterations = 0;
const start = performance.now();
for (let k = 0; k < frames; k++) iterations += world.step().iterations;
const seconds = (performance.now() - start) / 1000 / frames;
console.log(JSON.stringify({ seconds, iterations: iterations / frames, hash: world.hash() }));
threads?.close();
