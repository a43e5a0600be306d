/** The model `dust`: nodes fall apart, each by itself. */
import { SceneError } from '../../errors.ts';
import type { Bundle, Drive, Model } from '../../model.ts';
import { createLoads, createSamples, type Loads, type Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { dustCapabilities } from './options.ts';

interface DustRod {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly samples: Samples;
  readonly loads: Loads;
  readonly q: Float64Array;
  readonly v: Float64Array;
}

function fall({ rod, drive, samples, loads, q, v }: DustRod, t: number, dt: number, drag: number): void {
  loads.nodeForce.fill(0);
  for (const source of drive.sources) source.addLoads(loads, samples, t);
  const decay = Math.exp(-drag * dt);
  const mean = drag > 0 ? (1 - decay) / (drag * dt) : 1;
  for (let k = 0; k < q.length; k++) {
    const a = loads.nodeForce[k] / rod.nodeMass[Math.floor(k / 3)];
    const end = drag > 0 ? a / drag : 0;
    q[k] += drag > 0 ? dt * (end + (v[k] - end) * mean) : dt * v[k] + 0.5 * dt * dt * a;
    v[k] = drag > 0 ? end + (v[k] - end) * decay : v[k] + dt * a;
  }
}

function pose({ samples, q, v }: DustRod): void {
  samples.nodePosition.set(q);
  samples.nodeVelocity.set(v);
}

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene): Bundle {
  const { drag = 0 } = scene.solver?.dust ?? {};
  const refuse = (): never => {
    throw new SceneError(['solver', 'dust'], 'dust only falls');
  };
  const size = rods.reduce((sum, { nodeCount }) => sum + 3 * nodeCount, 0);
  const state = { q: new Float64Array(size), v: new Float64Array(size), memory: new Float64Array(0) };
  let at = 0;
  const all = rods.map((rod, k): DustRod => {
    const from = at;
    at += 3 * rod.nodeCount;
    const one = {
      rod,
      drive: drives[k],
      samples: createSamples(rod),
      loads: createLoads(rod),
      q: state.q.subarray(from, at),
      v: state.v.subarray(from, at),
    };
    one.q.set(rod.nodePosition);
    return one;
  });
  return {
    model: 'dust',
    rods,
    samples: all.map(({ samples }) => samples),
    bodies: [],
    state,
    refresh: () => all.forEach(pose),
    restart: () => {},
    advance({ t, dt }) {
      for (const one of all) {
        fall(one, t, dt, drag);
        pose(one);
      }
      return { ok: true, iterations: 1, iterationsMax: 1, shifts: 0 };
    },
    addEnergies(out) {
      for (const { rod, v } of all)
        v.forEach((speed, k) => {
          out.kinetic += 0.5 * rod.nodeMass[Math.floor(k / 3)] * speed * speed;
        });
    },
    addMomentum: refuse,
    readChannel: refuse,
    equilibrate: refuse,
    reactions: () => [],
    modes: refuse,
    matrices: refuse,
  };
}

export const dust: Model = { id: 'dust', capabilities: dustCapabilities, compile };
