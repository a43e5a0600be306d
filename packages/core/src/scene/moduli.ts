/**
 * Moduli that change during a run (moisture, heat): factors on E and G in time, and by a formula along the rod as well.
 * A factor that is not positive has no meaning and ends the run with an error that names the field.
 */
import { SceneError } from '../errors.ts';
import type { Moduli } from './compiled.ts';
import { compileExpression } from './expression.ts';
import type { RodSpec, Timed } from './types.ts';
import type { Path } from './varying.ts';
import { atPath, compileTimed } from './varying.ts';

function compileFactor(spec: Timed | undefined, path: Path): (t: number, u: number) => number {
  if (spec === undefined) return () => 1;
  const values = new Float64Array(2);
  const raw = ((): ((t: number, u: number) => number) => {
    if (typeof spec === 'number' || 'keys' in spec) return compileTimed(spec, path);
    const evaluate = atPath([...path, 'formula'], () => compileExpression(spec.formula, ['t', 'u']));
    return (t, u) => {
      values[0] = t;
      values[1] = u;
      return evaluate(values);
    };
  })();
  const checked = (t: number, u: number): number => {
    const factor = raw(t, u);
    if (factor > 0 && factor < Infinity) return factor;
    throw new SceneError(path, `the factor is ${factor} at t = ${t} s, u = ${u}; it must be positive`);
  };
  checked(0, 0);
  checked(0, 1);
  if (typeof spec === 'object' && 'keys' in spec) {
    spec.keys.forEach(([, value], k) => {
      if (!(value > 0)) throw new SceneError([...path, 'keys', k, 1], `the factor is ${value}; it must be positive`);
    });
  }
  return checked;
}

export function compileModuli(spec: RodSpec, path: Path): { moduli: Moduli } | undefined {
  if (!spec.moduli) return undefined;
  const { E, G } = spec.moduli;
  return { moduli: { E: compileFactor(E, [...path, 'moduli', 'E']), G: compileFactor(G, [...path, 'moduli', 'G']) } };
}
