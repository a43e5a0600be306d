/** Energies and momentum of a bundle, as sums over its rods. */
import type { Bundle, Energies, Momentum } from '../model.ts';

/** The members of a bundle that read its state, and those that search for equilibria. */
export type BundleQueries = Pick<
  Bundle,
  | 'animate'
  | 'addEnergies'
  | 'addMomentum'
  | 'addRodMomentum'
  | 'readChannel'
  | 'differentiatesLoads'
  | 'equilibrate'
  | 'branch'
  | 'atRest'
  | 'reactions'
  | 'hasJointUnknowns'
  | 'workError'
  | 'modes'
  | 'matrices'
>;

/** Read-outs of one rod. */
interface RodReadouts<R> {
  readonly addEnergies: (out: Energies, rod: R, t: number) => void;
  readonly addMomentum: (out: Momentum, rod: R) => void;
}

export function sumReadouts<R>(
  rods: readonly R[],
  { addEnergies, addMomentum }: RodReadouts<R>,
): Pick<Bundle, 'addEnergies' | 'addMomentum' | 'addRodMomentum'> {
  return {
    addEnergies(out, t) {
      for (const rod of rods) addEnergies(out, rod, t);
    },
    addMomentum(out) {
      for (const rod of rods) addMomentum(out, rod);
    },
    addRodMomentum: (out, rod) => addMomentum(out, rods[rod]),
  };
}
