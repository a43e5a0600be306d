/** The figure of the probes: one panel per unit, a curve per probe, or three for a vector. */
import { type Channel, channels, type ProbeSeries } from '@tendril-sim/core';
import { curveColors } from '../html/style.ts';
import { drawLinePlot, type Series } from './lines.ts';
import { document } from './svg.ts';

/** What a panel shows: the name of its axis and its unit. */
interface Axis {
  readonly label: string;
  readonly unit: string;
}

const direction: Axis = { label: 'direction', unit: '' };
const energy: Axis = { label: 'energy', unit: 'J' };
const axes: Readonly<Record<string, Axis>> = {
  position: { label: 'position', unit: 'm' },
  velocity: { label: 'velocity', unit: 'm/s' },
  angularVelocity: { label: 'angular velocity', unit: '1/s' },
  tangent: direction,
  d1: direction,
  translationalEnergy: energy,
  rotationalEnergy: energy,
};

const axisOf = (quantity: string): Axis =>
  axes[quantity] ?? { label: quantity, unit: channels[quantity as Channel].unit };

export interface ProbePlot {
  readonly title: string;
  readonly subtitle?: string;
  readonly probes: readonly ProbeSeries[];
  /** What the probes are drawn over; default time. */
  readonly xLabel?: string;
  readonly xUnit?: string;
}

const width = 800;
const height = 440;

export function drawProbes({ title, subtitle, probes, xLabel = 'time', xUnit = 's' }: ProbePlot): string {
  const panels = new Map<string, ProbeSeries[]>();
  for (const probe of probes) {
    const { label } = axisOf(probe.quantity);
    panels.set(label, [...(panels.get(label) ?? []), probe]);
  }
  const drawn = [...panels.values()].map((members, k) => {
    const { label, unit } = axisOf(members[0].quantity);
    const curves = members.flatMap(curvesOf);
    const plot = drawLinePlot({
      title: k === 0 ? title : label,
      ...(k === 0 && subtitle !== undefined && { subtitle }),
      x: members[0].time,
      xLabel,
      xUnit,
      yLabel: label,
      yUnit: unit,
      series: curves.map((one, c): Series => ({ ...one, color: curveColors[c % curveColors.length] })),
    });
    return plot.replace('<svg ', `<svg y="${k * height}" `);
  });
  return document(width, height * drawn.length, title, drawn);
}

function curvesOf({ name, time, value }: ProbeSeries): { label: string; x: number[]; y: number[] }[] {
  if (typeof value[0] === 'number') return [{ label: name, x: time, y: value as number[] }];
  return ['x', 'y', 'z'].map((axis, k) => ({
    label: `${name} ${axis}`,
    x: time,
    y: (value as number[][]).map((item) => item[k]),
  }));
}
