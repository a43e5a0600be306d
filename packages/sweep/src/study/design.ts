/** Combines parameters into rows of values: grid, zip, table, or samples of the unit cube. */
import type { Parameter } from './parameters.ts';
import { type Sample, sampleLatinHypercube, sampleRandom, sampleSobol, sobolDimensions } from './random.ts';
import type { DesignFile, SampledDesign } from './schema.ts';

/** Rows of values, made one by one so that a large grid takes no memory. */
export interface Rows {
  readonly count: number;
  /** Values in the order of the parameters. */
  row(index: number): unknown[];
}

export class DesignError extends Error {}

export type Table = readonly Readonly<Record<string, unknown>>[];

/** More runs than this are a mistake. */
const mostRuns = 10_000_000;

export function combine(parameters: readonly Parameter[], design: DesignFile = 'grid', table?: Table): Rows {
  const own = parameters.filter(({ column }) => column === undefined);
  const others = combineOwn(own, design);
  const tableRows = table?.length ?? 1;
  const count = others.count * tableRows;
  if (count > mostRuns) throw new DesignError(`the study has ${count} runs; at most ${mostRuns} are allowed`);
  return {
    count,
    row(index) {
      const cells = table?.[Math.floor(index / others.count)];
      const values = others.row(index % others.count);
      let next = 0;
      return parameters.map(({ column, convert }) =>
        column === undefined ? values[next++] : convert(cells?.[column]),
      );
    },
  };
}

function combineOwn(parameters: readonly Parameter[], design: DesignFile): Rows {
  const type = typeof design === 'string' ? design : design.type;
  if (type === 'grid') return grid(parameters);
  if (type === 'zip') return zip(parameters);
  if (typeof design === 'string' || !('count' in design)) throw new DesignError('a sampled design needs a count');
  return sampled(parameters, design);
}

function valuesOf({ name, values, quantile }: Parameter, design: string): readonly unknown[] {
  if (values) return values;
  throw new DesignError(
    quantile
      ? `parameter '${name}' has no list of values: give its range a count, or choose a design that samples, such as { type: sobol, count: 256 }`
      : `parameter '${name}' has no values for a ${design}`,
  );
}

/** The last parameter varies fastest. */
function grid(parameters: readonly Parameter[]): Rows {
  const lists = parameters.map((parameter) => valuesOf(parameter, 'grid'));
  return {
    count: lists.reduce((product, { length }) => product * length, 1),
    row(index) {
      let rest = index;
      const out: unknown[] = new Array(lists.length);
      for (let k = lists.length - 1; k >= 0; k--) {
        out[k] = lists[k][rest % lists[k].length];
        rest = Math.floor(rest / lists[k].length);
      }
      return out;
    },
  };
}

function zip(parameters: readonly Parameter[]): Rows {
  const lists = parameters.map((parameter) => valuesOf(parameter, 'zip'));
  const lengths = new Set(lists.map(({ length }) => length));
  if (lengths.size > 1)
    throw new DesignError(`a zip needs lists of one length; they have ${[...lengths].join(', ')} values`);
  return { count: lists[0]?.length ?? 1, row: (index) => lists.map((list) => list[index]) };
}

function sampled(
  parameters: readonly Parameter[],
  { type, count, seed = 1 }: { readonly type: SampledDesign; readonly count: number; readonly seed?: number },
): Rows {
  const d = parameters.length;
  if (d === 0) throw new DesignError('a sampled design needs parameters');
  const needed = type === 'saltelli' ? 2 * d : d;
  if ((type === 'sobol' || type === 'saltelli') && needed > sobolDimensions)
    throw new DesignError(
      `a Sobol sequence has ${sobolDimensions} dimensions here, and ${needed} are needed; use latin-hypercube or random`,
    );
  const sample = {
    'latin-hypercube': sampleLatinHypercube,
    random: sampleRandom,
    sobol: sampleSobol,
    saltelli: sampleSobol,
  }[type](count, needed, seed);
  const at = (k: number, u: number): unknown => parameters[k].quantile?.(u);
  if (type !== 'saltelli')
    return { count, row: (index) => parameters.map((_, k) => at(k, sample.points[index * d + k])) };
  return {
    count: count * (d + 2),
    row: (index) => parameters.map((_, k) => at(k, saltelliPoint(sample, index, k))),
  };
}

/**
 * Blocks of d + 2 rows [Saltelli2010]: A, B, and A with its column i from B for each i. The two halves of a point of twice the
 * dimension are A and B.
 */
function saltelliPoint({ points, dimensions }: Sample, index: number, k: number): number {
  const d = dimensions / 2;
  const block = Math.floor(index / (d + 2));
  const which = index % (d + 2);
  const fromB = which === 1 || which - 2 === k;
  return points[block * dimensions + k + (fromB ? d : 0)];
}
