/** Energies of a run as CSV: one row per computed frame, one group of columns per model that runs. */
import type { StatSample } from './frames.ts';
import type { LaneInfo } from './protocol.ts';

const names = [
  'kinetic_J',
  'bending_J',
  'twisting_J',
  'stretching_J',
  'potential_J',
  'total_J',
  'curvature_max_1/m',
  'twist_max_rad/m',
  'tension_max_N',
];

/** Side by side, each column begins with the name of its model, and the distance from the first model is added. */
export function energyTable(
  stats: readonly StatSample[],
  lanes: readonly Pick<LaneInfo, 'variant' | 'refused'>[],
): string {
  const running = lanes.flatMap((lane, k) => (lane.refused === undefined ? [{ label: lane.variant.label, k }] : []));
  const isCompared = lanes.length > 1;
  const heads = running.flatMap(({ label }, n) => {
    const prefix = isCompared ? `${label.replace(/[^\w.]+/g, '-')}_` : '';
    return [...names, ...(isCompared && n > 0 ? ['distance_m'] : [])].map((name) => prefix + name);
  });
  const rows = stats.map(({ time, lanes: samples, distances }) =>
    [
      time,
      ...running.flatMap(({ k }, n) => [...samples[k], ...(isCompared && n > 0 ? [distances[k] ?? ''] : [])]),
    ].join(','),
  );
  return `${[['time_s', ...heads].join(','), ...rows].join('\n')}\n`;
}
