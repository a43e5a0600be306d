/** Former names of model options: scenes that use them are read, with a warning that gives the current names. */
import { availableModels, modelOptions, type OptionField } from '@tendril-sim/core';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Renamed {
  readonly value: unknown;
  readonly warnings: readonly string[];
}

/** The scene with current names in `solver`, and a warning for each former one. */
export function renameFormer(scene: unknown): Renamed {
  if (!isFields(scene) || !isFields(scene.solver)) return { value: scene, warnings: [] };
  const warnings: string[] = [];
  const solver: Record<string, unknown> = { ...scene.solver };
  for (const model of availableModels()) {
    const options = solver[model];
    if (isFields(options)) solver[model] = renameOptions(options, `solver.${model}`, modelOptions[model], warnings);
  }
  return warnings.length === 0 ? { value: scene, warnings } : { value: { ...scene, solver }, warnings };
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
