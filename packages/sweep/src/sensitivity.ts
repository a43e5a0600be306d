/**
 * Sobol sensitivity indices: which share of a quantity's variance a parameter explains, alone (first order) and with all others (total).
 * From a Saltelli design by its estimators [Saltelli2010]; from other samples the first order alone, by means over equal parts of a parameter.
 */

export interface Sensitivity {
  /** Name of the parameter. */
  readonly parameter: string;
  /** First-order index. */
  readonly first: number;
  /** Only from a Saltelli design. */
  readonly total?: number;
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return meanOf(values.map((value) => (value - mean) ** 2));
};

/** `outputs` in the order of the design, d + 2 per block; blocks with a run that has no value are left out. */
export function saltelliIndices(parameters: readonly string[], outputs: readonly (number | null)[]): Sensitivity[] {
  const d = parameters.length;
  const blocks: number[][] = [];
  for (let k = 0; k + d + 2 <= outputs.length; k += d + 2) {
    const block = outputs.slice(k, k + d + 2);
    if (block.every((value) => value !== null)) blocks.push(block as number[]);
  }
  const variance = varianceOf(blocks.flatMap((block) => block.slice(0, 2)));
  return parameters.map((parameter, i) => ({
    parameter,
    // V_i = mean of f(B) (f(AB_i) − f(A)), E_i = mean of (f(A) − f(AB_i))² / 2
    first: meanOf(blocks.map((block) => block[1] * (block[2 + i] - block[0]))) / variance,
    total: meanOf(blocks.map((block) => (block[0] - block[2 + i]) ** 2)) / 2 / variance,
  }));
}

/** First order from any sample: variance of the means over parts of equal size, less what noise adds to it. */
export function binnedIndices(
  parameters: readonly string[],
  inputs: readonly (readonly number[])[],
  outputs: readonly number[],
): Sensitivity[] {
  const variance = varianceOf(outputs);
  const mean = meanOf(outputs);
  return parameters.map((parameter, k) => {
    const parts = split(inputs[k], outputs);
    const between = parts.reduce((sum, part) => sum + part.length * (meanOf(part) - mean) ** 2, 0) / outputs.length;
    const within = parts.reduce((sum, part) => sum + part.length * varianceOf(part), 0) / outputs.length;
    const noise = (within * (parts.length - 1)) / Math.max(1, outputs.length - parts.length);
    return { parameter, first: Math.max(0, between - noise) / variance };
  });
}

/** Outputs by distinct values of an input, or by about √n parts of its order where there are many. */
function split(input: readonly number[], outputs: readonly number[]): number[][] {
  const order = input.map((_, k) => k).sort((a, b) => input[a] - input[b]);
  const distinct = new Set(input).size;
  const parts = Math.min(distinct, Math.max(2, Math.round(Math.sqrt(input.length))));
  if (distinct === parts) {
    const groups = new Map<number, number[]>();
    for (const k of order) groups.set(input[k], [...(groups.get(input[k]) ?? []), outputs[k]]);
    return [...groups.values()];
  }
  return Array.from({ length: parts }, (_, p) =>
    order
      .slice(Math.floor((p * order.length) / parts), Math.floor(((p + 1) * order.length) / parts))
      .map((k) => outputs[k]),
  );
}
