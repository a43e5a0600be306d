/** Former names of options: scenes that use them are read, with a warning that gives the current names. */
import { availableModels, modelOptions, type OptionField } from '@tendril-sim/core';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Renamed {
  readonly value: unknown;
  readonly warnings: readonly string[];
}

/** The scene with current names in `solver`, `rods` and `strands`, and a warning for each former one. */
export function renameFormer(scene: unknown): Renamed {
  if (!isFields(scene)) return { value: scene, warnings: [] };
  const warnings: string[] = [];
  const renamed = {
    ...scene,
    ...(isFields(scene.solver) && { solver: renameSolver(scene.solver, warnings) }),
    ...(Array.isArray(scene.rods) && { rods: scene.rods.map((one, k) => renameModuli(one, k, warnings)) }),
    ...(Array.isArray(scene.strands) && { strands: scene.strands.map((one, k) => renameSample(one, k, warnings)) }),
  };
  return { value: warnings.length === 0 ? scene : renamed, warnings };
}

function renameSolver(written: Fields, warnings: string[]): Fields {
  const solver: Record<string, unknown> = { ...written };
  for (const model of availableModels()) {
    const options = solver[model];
    if (isFields(options)) solver[model] = renameOptions(options, `solver.${model}`, modelOptions[model], warnings);
  }
  return solver;
}

/** `animate` of a rod had fields for stiffness alone. */
function renameModuli(rod: unknown, index: number, warnings: string[]): unknown {
  if (!isFields(rod) || !('moduli' in rod) || 'animate' in rod) return rod;
  const { moduli, ...rest } = rod;
  warnings.push(`rods[${index}].moduli is now called animate`);
  return { ...rest, animate: moduli };
}

/** `frame` of strands was a sample of the file; a rod's `frame` is its material frame. */
function renameSample(strands: unknown, index: number, warnings: string[]): unknown {
  if (!isFields(strands) || !('frame' in strands) || 'sample' in strands) return strands;
  const { frame, ...rest } = strands;
  warnings.push(`strands[${index}].frame is now called sample`);
  return { ...rest, sample: frame };
}

function renameOptions(
  written: Fields,
  path: string,
  described: Readonly<Record<string, OptionField>>,
  warnings: string[],
): Fields {
  const options: Record<string, unknown> = { ...written };
  for (const [name, field] of Object.entries(described)) {
    const { formerName } = field;
    if (formerName !== undefined && formerName in options && !(name in options)) {
      options[name] = options[formerName];
      delete options[formerName];
      warnings.push(`${path}.${formerName} is now called ${name}`);
    }
    const word = options[name];
    if (field.kind !== 'words' || typeof word !== 'string' || !Object.hasOwn(field.former ?? {}, word)) continue;
    options[name] = field.former?.[word];
    warnings.push(`${path}.${name}: '${word}' is now called '${field.former?.[word]}'`);
  }
  return options;
}
