/** Arrows of forces: they hold a rod in balance; run.test.ts shows them. */
import { createWorld, type Scene } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { type ContactFacts, forceKinds, forceStride } from '../src/protocol.ts';
import { createForceReader } from '../src/worker/forces.ts';
import { createLane } from '../src/worker/lane.ts';
import { fetchModels } from '../src/worker/models.ts';
import { pulled as scene } from './scenes.ts';

interface Arrow {
  readonly kind: string;
  readonly place: readonly number[];
  readonly force: readonly number[];
}

function arrowsOf(list: Float32Array): Arrow[] {
  return Array.from({ length: list.length / forceStride }, (_, k) => {
    const [kind, ...rest] = list.subarray(forceStride * k, forceStride * (k + 1));
    return { kind: forceKinds[kind], place: rest.slice(0, 3), force: rest.slice(3) };
  });
}

const total = (arrows: readonly Arrow[], axis: number): number =>
  arrows.reduce((sum, { force }) => sum + force[axis], 0);

describe('arrows', () => {
  it('are all that holds a rod at rest, its weight aside', () => {
    const world = createWorld(scene);
    const read = createForceReader(world);
    while (world.time < 4) world.step();
    const arrows = arrowsOf(read());
    const weight = 9.81 * world.momentum().mass;
    const of = (kind: string): Arrow[] => arrows.filter((arrow) => arrow.kind === kind);
    for (const kind of forceKinds)
      expect(Math.hypot(...[0, 1, 2].map((k) => total(of(kind), k))), kind).toBeGreaterThan(0.02);
    for (const axis of [0, 1]) expect(total(arrows, axis)).toBeCloseTo(0, 2);
    expect(total(arrows, 2) / weight).toBeCloseTo(1, 2);
    // a comb over the second half, and a force between two nodes where it acts
    expect(of('load')).toHaveLength(9);
    expect(total(of('load'), 1)).toBeCloseTo(0.1, 6);
    const lift = of('load')[8];
    const { nodePosition: x } = world.samples[0];
    for (let k = 0; k < 3; k++) expect(lift.place[k]).toBeCloseTo(0.6 * x[15 + k] + 0.4 * x[18 + k], 5);
    // the spring pulls the end to its point
    const [spring] = of('link');
    for (let k = 0; k < 3; k++) expect(spring.force[k]).toBeCloseTo([1, 0, 0.3][k] - x[60 + k], 2);
  });

  it('are opposite on two rods that touch', () => {
    const crossing = (id: string, height: number, across: boolean): Scene['rods'][number] => ({
      id,
      shape: {
        type: 'straight',
        from: across ? [0, -0.2, height] : [-0.2, 0, height],
        to: across ? [0, 0.2, height] : [0.2, 0, height],
      },
      edges: 9,
      section: { type: 'circle', radius: 0.004 },
      material: { E: 1e7, nu: 0.4, density: 1000, damping: { mass: 20 } },
    });
    const world = createWorld({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [crossing('below', 0, false), crossing('above', 0.009, true)],
      pins: [
        { rod: 'below', at: 'start' },
        { rod: 'below', at: 'end' },
      ],
      contact: { friction: 0.5 },
      time: { duration: 1, step: 0.005 },
    });
    const read = createForceReader(world);
    while (world.time < 0.3) world.step();
    const touching = arrowsOf(read()).filter(({ kind }) => kind === 'contact');
    expect(touching.length).toBeGreaterThan(1);
    for (let k = 0; k < 3; k++) expect(total(touching, k)).toBeCloseTo(0, 6);
    const up = touching.find(({ force }) => force[2] > 0) as Arrow;
    const down = touching.find(({ force }) => force[2] < 0) as Arrow;
    // each begins on the axis of the rod that it acts on
    expect(up.place[2] - down.place[2]).toBeCloseTo(0.008, 3);
  });
});

describe('contact', () => {
  it('says how many places touch, how deep, and where it was not solved', async () => {
    await fetchModels(['der', 'whole-der', 'contact']);
    const { links: _, ...bare } = scene;
    const facts = (contact: Scene['contact']): ContactFacts | undefined => {
      const lane = createLane({ ...bare, ...(contact && { contact }) }, { id: '', label: '' }, 0);
      for (let k = 0; k < 60; k++) lane.step();
      return lane.frame().contact;
    };
    const good = facts(undefined);
    expect(good).toMatchObject({ missed: 0, steps: 60 });
    expect(good?.touching).toBeGreaterThan(3);
    expect(good?.iterations).toBeGreaterThan(0);
    expect(good?.overlap).toBeLessThan(1e-5);
    expect(facts({ iterations: 1, tolerance: 1e-14 })?.missed).toBeGreaterThan(5);
    const { colliders: __, ...free } = bare;
    expect(createLane(free, { id: '', label: '' }, 0).frame().contact).toBeUndefined();
  });
});
