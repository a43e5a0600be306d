/** Probes: quantities at places on rods, followed in time. */
import { channels } from '../channels.ts';
import { SceneError } from '../errors.ts';
import type { ProbeSpec } from '../scene/types.ts';
import type { World } from '../world/types.ts';
import type { Observer } from './observer.ts';
import { placeOn, type RodPlace } from './place.ts';

/** A quantity at a place on a rod, in time. */
export interface ProbeSeries {
  /** Name of the probe. */
  readonly name: string;
  /** The rod. */
  readonly rod: string;
  /** What it measures. */
  readonly quantity: string;
  /** Instants [s]. */
  readonly time: number[];
  /** Value at each instant, SI; vectors as three numbers. */
  readonly value: (number | number[])[];
}

/** An observer of the probes that the scene names. */
export interface ProbeRecorder extends Observer {
  readonly series: readonly ProbeSeries[];
}

/** Creates an observer that follows the probes of the scene. */
export function createProbes(world: World): ProbeRecorder {
  const probes = (world.scene.output?.probes ?? []).map((spec, k) => {
    const rod = world.rods.findIndex(({ id }) => id === spec.rod);
    if (rod < 0) throw new SceneError(['output', 'probes', k, 'rod'], `there is no rod '${spec.rod}'`);
    const quantity = spec.quantity ?? 'position';
    const series: ProbeSeries = { name: spec.name ?? nameOf(spec), rod: spec.rod, quantity, time: [], value: [] };
    return { rod, place: placeOn(world.rods[rod], spec.at), quantity, series };
  });
  return {
    series: probes.map(({ series }) => series),
    observe() {
      for (const { rod, place, quantity, series } of probes) {
        series.time.push(world.time);
        series.value.push(measure(world, rod, place, quantity));
      }
    },
  };
}

function nameOf({ rod, at, quantity = 'position' }: ProbeSpec): string {
  const place =
    typeof at === 'string'
      ? at
      : Object.entries(at)
          .map(([key, value]) => `${key}=${value}`)
          .join('');
  return `${rod}@${place}.${quantity}`;
}

function measure(
  world: World,
  rod: number,
  place: RodPlace,
  quantity: NonNullable<ProbeSpec['quantity']>,
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
    // exact at the nodes, so that a probe at an end reads what the result holds
    along === 0
      ? values[from + k]
      : along === 1
        ? values[to + k]
        : values[from + k] * (1 - along) + values[to + k] * along,
  );
}
