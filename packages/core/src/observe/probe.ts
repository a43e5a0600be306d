/** Probes: quantities at places on rods, and of bodies, recorded over time. */
import { channels } from '../channels.ts';
import { SceneError } from '../errors.ts';
import type { BodyProbeSpec, BodyQuantity, ProbeSpec, RodProbeSpec } from '../scene/output.ts';
import type { World, WorldBody } from '../world/types.ts';
import type { Observer } from './observer.ts';
import { placeOn, type RodPlace } from './place.ts';

/** A quantity of a rod or body in time. */
export interface ProbeSeries {
  /** Name of the probe. */
  readonly name: string;
  /** The rod, of a probe on a rod. */
  readonly rod?: string;
  /** The body, of a probe of a body. */
  readonly body?: string;
  /** Measured quantity. */
  readonly quantity: string;
  /** Instants [s]. */
  readonly time: number[];
  /** Value at each instant, SI; vectors as three numbers. */
  readonly value: (number | number[])[];
}

/** An observer of the probes that the scene names. */
export interface ProbeRecorder extends Observer {
  /** One series per probe of the scene. */
  readonly series: readonly ProbeSeries[];
}

/** Creates an observer that follows the probes of the scene. */
export function createProbes(world: World): ProbeRecorder {
  const probes = (world.scene.output?.probes ?? []).map((spec, k) => {
    const about = 'rod' in spec ? { rod: spec.rod } : { body: spec.body };
    const { quantity = 'position' } = spec;
    const series: ProbeSeries = { name: spec.name ?? nameOf(spec), ...about, quantity, time: [], value: [] };
    return { read: 'rod' in spec ? rodReader(world, spec, k) : bodyReader(world, spec, k), series };
  });
  return {
    series: probes.map(({ series }) => series),
    observe() {
      for (const { read, series } of probes) {
        series.time.push(world.time);
        series.value.push(read());
      }
    },
  };
}

function nameOf(spec: ProbeSpec): string {
  const { quantity = 'position' } = spec;
  if ('body' in spec) return `${spec.body}.${quantity}`;
  const { rod, at } = spec;
  const place =
    typeof at === 'string'
      ? at
      : Object.entries(at)
          .map(([key, value]) => `${key}=${value}`)
          .join('');
  return `${rod}@${place}.${quantity}`;
}

type Reader = () => number | number[];

function rodReader(world: World, { rod: id, at, quantity = 'position' }: RodProbeSpec, k: number): Reader {
  const rod = world.rods.findIndex((one) => one.id === id);
  if (rod < 0) throw new SceneError(['output', 'probes', k, 'rod'], `there is no rod '${id}'`);
  const place = placeOn(world.rods[rod], at);
  return () => measure(world, rod, place, quantity);
}

function bodyReader(world: World, { body: id, quantity = 'position' }: BodyProbeSpec, k: number): Reader {
  const body = world.bodies.find((one) => one.id === id);
  if (!body) throw new SceneError(['output', 'probes', k, 'body'], `there is no body '${id}'`);
  return bodyReaders[quantity](body);
}

const bodyReaders: Readonly<Record<BodyQuantity, (body: WorldBody) => Reader>> = {
  position:
    ({ pose }) =>
    () => [...pose.position],
  velocity:
    ({ pose }) =>
    () => [...pose.velocity],
  angularVelocity:
    ({ pose }) =>
    () => [...pose.angularVelocity],
  translationalEnergy: (body) => () => body.energies().translational,
  rotationalEnergy: (body) => () => body.energies().rotational,
};

function measure(
  world: World,
  rod: number,
  place: RodPlace,
  quantity: NonNullable<RodProbeSpec['quantity']>,
): number | number[] {
  const samples = world.samples[rod];
  switch (quantity) {
    case 'position':
      return between(samples.nodePosition, 3, place);
    case 'velocity':
      return between(samples.nodeVelocity, 3, place);
    case 'tangent':
      return [...samples.edgeTangent.subarray(3 * place.edge, 3 * place.edge + 3)];
    case 'd1':
      return [...samples.edgeDirector.subarray(3 * place.edge, 3 * place.edge + 3)];
    default: {
      const values = world.channel(rod, quantity);
      return channels[quantity].on === 'edge' ? values[place.edge] : between(values, 1, place)[0];
    }
  }
}

/** Linear between the nodes of the edge. */
function between(values: Float64Array, stride: number, { edge, along }: RodPlace): number[] {
  const from = edge * stride;
  const to = (from + stride) % values.length;
  return Array.from({ length: stride }, (_, k) =>
    // exact at the nodes, so that a probe at an end gives the same number as the result
    along === 0
      ? values[from + k]
      : along === 1
        ? values[to + k]
        : values[from + k] * (1 - along) + values[to + k] * along,
  );
}
