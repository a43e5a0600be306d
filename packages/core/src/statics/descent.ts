/** Descent to an equilibrium that Newton's method does not find: steps with a fictitious inertia, each a well-posed minimisation. */

export interface DescentSystem {
  /** Saves the state as the reference of the step's inertia. */
  hold(): void;
  /** Minimizes the energy plus inertia · |q − q₀|²/2, in the metric of the model. */
  solve(inertia: number): { readonly converged: boolean; readonly iterations: number };
  revert(): void;
}

/** The inertia begins at `first`; the descent ends when it falls below `least` or rises above `most`. */
export interface InertiaRange {
  readonly first: number;
  readonly least: number;
  readonly most: number;
}

const usual: InertiaRange = { first: 1e-2, least: 1e-12, most: 1e8 };

/** At most `count` steps, with decreasing inertia while they succeed. Returns the number of iterations. */
export function descendBySteps(system: DescentSystem, count: number, range: InertiaRange = usual): number {
  const { first, least, most } = range;
  let inertia = first;
  let iterations = 0;
  for (let accepted = 0, tries = 0; accepted < count && tries < 3 * count; tries++) {
    system.hold();
    const step = system.solve(inertia);
    iterations += step.iterations;
    if (step.converged) {
      accepted++;
      inertia /= 4;
      if (inertia < least) break;
    } else {
      system.revert();
      inertia *= 16;
      if (inertia > most) break;
    }
  }
  return iterations;
}
