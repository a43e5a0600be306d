/** Quantities of a study as outputs of an equilibrium: numbers that have derivatives. */
import { createProbes, type EquilibriumOutput, findTwin, type World } from '@tendril-sim/core';
import { compileQuantity, lookUp, type Reference, UnknownQuantityError } from '../run/expression.ts';
import { createScope } from '../run/scope.ts';

/** An output, and what to multiply its derivatives with if they are those of a named output: 1/2π for a frequency. */
export interface QuantityOutput extends EquilibriumOutput {
  /** The quantity as it is written in the file. */
  readonly text: string;
  /** Derivatives of a named output times this are those of the quantity. */
  readonly factor: number;
}

const axes = ['x', 'y', 'z'];

/**
 * Compiles an expression such as `probe.tip.z` for derivatives at the current equilibrium. Throws ExpressionError, and UnknownQuantityError for
 * the frequency of a mode that has a twin; reading it throws UnknownQuantityError.
 */
export function compileOutput(text: string, world: World): QuantityOutput {
  const expression = compileQuantity(text);
  const roots = new Set(expression.references.map(({ keys }) => keys[0]));
  const modeCount =
    1 + Math.max(-1, ...expression.references.map(({ keys }) => (keys[0] === 'mode' ? Number(keys[1]) : -1)));
  const of = (at: World): number => {
    const probes = roots.has('probe') ? createProbes(at) : undefined;
    probes?.observe(at);
    const scope = createScope({
      world: at,
      probes: probes?.series ?? [],
      parameters: new Map(),
      ...(modeCount > 0 && { modes: at.modes(modeCount) }),
    });
    return expression.evaluate((reference) => lookUp(scope, reference));
  };
  insistSimple(expression.references, world);
  const [only] = expression.references;
  const plain = expression.references.length === 1 && only.text === text.trim();
  return { text, of, factor: 1, ...(plain && nameOutput(only, world)) };
}

function insistSimple(references: readonly Reference[], world: World): void {
  for (const { keys, text } of references) {
    if (keys[0] !== 'mode' || world.rods.length !== 1) continue;
    const twin = findTwin(world.modes(Number(keys[1]) + 2)[0].omega, Number(keys[1]));
    if (twin !== undefined)
      throw new UnknownQuantityError(
        `'${text}' has no derivative: modes ${keys[1]} and ${twin} have the same frequency; a section with two different bending stiffnesses separates them`,
      );
  }
}

/** Recognizes outputs whose derivatives with respect to the unknowns are known. */
function nameOutput({ keys }: Reference, world: World): Partial<QuantityOutput> {
  const [root, first, second, third, last] = keys;
  if (root === 'rod' && second === 'node' && keys.length === 5) {
    const rod = world.rods.findIndex(({ id }) => id === first);
    const axis = axisOf(last);
    if (rod < 0 || axis === undefined) return {};
    const { nodeCount } = world.rods[rod];
    const node = Number(third) < 0 ? nodeCount + Number(third) : Number(third);
    return node >= 0 && node < nodeCount ? { coordinate: { rod, node, axis } } : {};
  }
  if (root === 'reaction' && (second === 'force' || second === 'torque') && keys.length === 4) {
    const reaction = world.reactions().at(Number(first));
    const axis = axisOf(third);
    if (!reaction || axis === undefined) return {};
    const rod = world.rods.findIndex(({ id }) => id === reaction.rod);
    return { reaction: { rod, node: reaction.node, of: second, axis } };
  }
  if (root === 'mode' && (second === 'omega' || second === 'frequency') && world.rods.length === 1)
    return { frequency: { rod: 0, index: Number(first) }, factor: second === 'omega' ? 1 : 1 / (2 * Math.PI) };
  return {};
}

function axisOf(key: string | number | undefined): 0 | 1 | 2 | undefined {
  const axis = typeof key === 'number' ? key : axes.indexOf(String(key));
  return axis === 0 || axis === 1 || axis === 2 ? axis : undefined;
}
