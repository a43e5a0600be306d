/** Inverse cumulative distributions: a number in (0, 1) becomes a value. */
/** Standard normal quantile, algorithm AS 241 [Wichura1988]; relative error about 1e-16. */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * polynomial(centralTop, r)) / polynomial(centralBottom, r);
  }
  const tail = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const value =
    tail <= 5
      ? polynomial(middleTop, tail - 1.6) / polynomial(middleBottom, tail - 1.6)
      : polynomial(farTop, tail - 5) / polynomial(farBottom, tail - 5);
  return q < 0 ? -value : value;
}

/** Lowest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, c) => sum * x + c, 0);
}

const centralTop = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
  33430.57558358813, 2509.0809287301227,
];
const centralBottom = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271, 28729.085735721943,
  5226.495278852854,
];
const middleTop = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684, 0.2417807251774506,
  0.022723844989269184, 0.0007745450142783414,
];
const middleBottom = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
  0.0005475938084995345, 1.0507500716444169e-9,
];
const farTop = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
  0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
];
const farBottom = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 0.000018463183175100548,
  1.421511758316446e-7, 2.0442631033899397e-15,
];

/** A distribution whose amounts are numbers in SI. */
export type Distribution =
  | { readonly type: 'uniform' | 'log-uniform'; readonly from: number; readonly to: number }
  | { readonly type: 'normal'; readonly mean: number; readonly deviation: number }
  | { readonly type: 'log-normal'; readonly median: number; readonly factor: number }
  | { readonly type: 'triangular'; readonly from: number; readonly mode: number; readonly to: number };

export function quantileOf(distribution: Distribution): (u: number) => number {
  switch (distribution.type) {
    case 'uniform': {
      const { from, to } = distribution;
      return (u) => from + (to - from) * u;
    }
    case 'log-uniform': {
      const { from, to } = distribution;
      return (u) => from * (to / from) ** u;
    }
    case 'normal': {
      const { mean, deviation } = distribution;
      return (u) => mean + deviation * normalQuantile(inside(u));
    }
    case 'log-normal': {
      const { median, factor } = distribution;
      return (u) => median * factor ** normalQuantile(inside(u));
    }
    case 'triangular': {
      const { from, mode, to } = distribution;
      const share = (mode - from) / (to - from);
      return (u) =>
        u < share
          ? from + Math.sqrt(u * (to - from) * (mode - from))
          : to - Math.sqrt((1 - u) * (to - from) * (to - mode));
    }
  }
}

/** 0 and 1 have no finite quantile. */
function inside(u: number): number {
  return Math.min(Math.max(u, 2 ** -54), 1 - 2 ** -53);
}
