/** The figure of the energies over time, or over a path of equilibria. */
import { okabeIto } from './color.ts';
import { drawLinePlot, type LinePlot, type Series } from './lines.ts';

export interface EnergyColumns {
  readonly kinetic: ArrayLike<number>;
  readonly bending: ArrayLike<number>;
  readonly twisting: ArrayLike<number>;
  readonly stretching: ArrayLike<number>;
  readonly potential: ArrayLike<number>;
  readonly total: ArrayLike<number>;
}

const styles: readonly (readonly [keyof EnergyColumns, string])[] = [
  ['potential', okabeIto.green],
  ['kinetic', okabeIto.vermillion],
  ['bending', okabeIto.blue],
  ['twisting', okabeIto.purple],
  ['stretching', '#c28500'],
  ['total', okabeIto.black],
];

export interface EnergyPlot extends Pick<LinePlot, 'title' | 'subtitle' | 'x' | 'marks' | 'bands'> {
  readonly xLabel?: string;
  readonly xUnit?: string;
  readonly energies: EnergyColumns;
}

export function drawEnergies(plot: EnergyPlot): string {
  const { energies, xLabel = 'time', xUnit = 's', ...rest } = plot;
  const series: Series[] = styles.map(([key, color]) => ({
    label: key,
    color,
    width: key === 'total' ? 2.4 : 1.8,
    y: energies[key],
  }));
  return drawLinePlot({ ...rest, xLabel, xUnit, yLabel: 'energy', yUnit: 'J', series });
}
