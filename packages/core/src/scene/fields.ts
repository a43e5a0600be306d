/** Converts the fields of a scene to load sources. */
import { SceneError } from '../errors.ts';
import { createAir } from '../fields/air.ts';
import { createForceField } from '../fields/force.ts';
import type { Wind } from '../fields/wind.ts';
import type { LoadSource } from '../port.ts';
import { compileNode, parseExpression } from './expression.ts';
import { gatherHalves } from './loads.ts';
import type { CompiledRod } from './rods.ts';
import type { FieldSpec, WindSpec } from './types.ts';
import type { Path, Profile } from './varying.ts';
import { atPath, compileTimed, compileVarying, finite, nonNegative } from './varying.ts';
import type { WindModule } from './windParts.ts';

interface Formulas {
  readonly evaluators: readonly ((values: ArrayLike<number>) => number)[];
  readonly used: ReadonlySet<string>;
}

function compileFormulas(texts: readonly string[], variables: readonly string[], path: Path): Formulas {
  // scenes of untyped programs have not been checked before
  if (!Array.isArray(texts) || texts.length !== 3 || texts.some((text) => typeof text !== 'string'))
    throw new SceneError(path, "formulas of x, y and z are needed, such as ['0', '0', '-9.81']");
  const used = new Set<string>();
  const evaluators = texts.map((text, k) =>
    atPath([...path, k], () => {
      const parsed = parseExpression(text, variables);
      for (const name of parsed.used) used.add(name);
      return compileNode(parsed.root);
    }),
  );
  return { evaluators, used };
}

type Air = FieldSpec & { readonly type: 'air' };

/** A wind; `isUniform` if it does not vary in space. */
interface CompiledWind {
  readonly wind: Wind;
  readonly isUniform: boolean;
}

const winds = new WeakMap<Air, CompiledWind>();

const isParts = (wind: Air['wind']): wind is WindSpec => wind !== undefined && !Array.isArray(wind);

function compileWind(wind: Air['wind'], parts: WindModule | undefined, path: Path): CompiledWind {
  if (isParts(wind)) {
    if (!parts)
      throw new SceneError(
        [...path, 'wind'],
        'this world was made without winds of parts; pass wind of @tendril-sim/core/features to createWorld, or give three velocities',
      );
    return { wind: parts.compileParts(wind, [...path, 'wind']), isUniform: false };
  }
  const [a, b, c] = wind ?? [0, 0, 0];
  if (typeof a === 'string' || typeof b === 'string' || typeof c === 'string') {
    const { evaluators, used } = compileFormulas([a, b, c].map(String), ['x', 'y', 'z', 't'], [...path, 'wind']);
    const values = new Float64Array(4);
    const atPlace: Wind = (out, x, y, z, t) => {
      values[0] = x;
      values[1] = y;
      values[2] = z;
      values[3] = t;
      for (let k = 0; k < 3; k++)
        out[k] = finite(evaluators[k](values), [...path, 'wind', k], () => `x, y, z = ${x}, ${y}, ${z}, t = ${t}`);
    };
    return { wind: atPlace, isUniform: !['x', 'y', 'z'].some((name) => used.has(name)) };
  }
  const constant: Wind = (out) => {
    out[0] = a;
    out[1] = b;
    out[2] = c;
  };
  return { wind: constant, isUniform: true };
}

function compileAir(
  spec: Air,
  { rod, layout, section }: CompiledRod,
  path: Path,
  parts: WindModule | undefined,
): LoadSource {
  const weight = readWeight(spec, rod.length, path);
  const [linearNormal, linearTangential] = spec.linear ?? [0, 0];
  const { density, normal, tangential = 0 } = spec.quadratic ?? { density: 0, normal: 0 };
  if (!spec.linear && !spec.quadratic)
    throw new SceneError(path, "air without 'linear' or 'quadratic' drag does nothing; give one");
  [linearNormal, linearTangential].forEach((value, k) => {
    if (!(value >= 0)) throw new SceneError([...path, 'linear', k], `the drag is ${value}; it must be zero or more`);
  });
  for (const [field, value] of Object.entries({ density, normal, tangential })) {
    if (!(value >= 0))
      throw new SceneError([...path, 'quadratic', field], `the value is ${value}; it must be zero or more`);
  }
  if (spec.quadratic && !section.hasRadius) {
    throw new SceneError(
      [...path, 'quadratic'],
      `drag needs the diameter of rod '${rod.id}'; give its stiffness section a radius`,
    );
  }
  // one wind for all rods of the field: its tables then stay in the processor's cache
  const wind = winds.get(spec) ?? compileWind(spec.wind, parts, path);
  winds.set(spec, wind);
  return createAir(rod, {
    wind: wind.wind,
    ...(wind.isUniform && { uniform: spec }),
    linearNormal,
    linearTangential,
    quadraticNormal: 0.5 * density * normal,
    quadraticTangential: 0.5 * density * tangential,
    factor: compileTimed(spec.factor, [...path, 'factor']),
    ...(weight && { edgeWeight: Float64Array.from(rod.edgeLengthRest, (_, j) => weight.at(middle(layout, j))) }),
  });
}

/** Weights along the rod, if there are any. */
function readWeight({ weight }: FieldSpec, length: number, path: Path): Profile | undefined {
  return weight === undefined ? undefined : compileVarying(weight, length, [...path, 'weight'], nonNegative);
}

const middle = ({ nodeU }: CompiledRod['layout'], j: number): number => 0.5 * (nodeU[j] + nodeU[j + 1]);

/** The load of a field on a rod. Without `parts`, winds of parts are rejected. */
export function compileField(
  spec: FieldSpec,
  compiled: CompiledRod,
  path: Path,
  parts: WindModule | undefined,
): LoadSource {
  if (spec.type === 'air') return compileAir(spec, compiled, path, parts);
  const { rod, layout } = compiled;
  const { evaluators, used } = compileFormulas(spec.formula, ['x', 'y', 'z', 't', 'u'], [...path, 'formula']);
  const values = new Float64Array(5);
  const halves = Float64Array.from({ length: 2 * rod.edgeCount }, (_, half) => rod.edgeLengthRest[half >> 1] / 2);
  const weight = readWeight(spec, rod.length, path);
  const shares = spec.per === 'mass' ? rod.nodeMass : gatherHalves(halves, rod.nodeCount);
  return createForceField({
    force(out, x, y, z, t, u) {
      values[0] = x;
      values[1] = y;
      values[2] = z;
      values[3] = t;
      values[4] = u;
      for (let k = 0; k < 3; k++)
        out[k] = finite(evaluators[k](values), [...path, 'formula', k], () => `x, y, z = ${x}, ${y}, ${z}, t = ${t}`);
    },
    dependsOnPlace: ['x', 'y', 'z'].some((name) => used.has(name)),
    nodeWeight: weight ? shares.map((share, i) => share * weight.at(layout.nodeU[i])) : shares,
    nodeU: Float64Array.from(layout.nodeU.slice(0, rod.nodeCount)),
    factor: compileTimed(spec.factor, [...path, 'factor']),
  });
}
