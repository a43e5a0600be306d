/**
 * Writes the AssemblyScript side of what kernels and TypeScript share: constants of the solvers (src/constants.ts) and binary layouts and codes
 * (src/kernels/description.ts). Both files import nothing, so that they can be run here as they are.
 */
import ts from 'typescript';

type Numbers = Readonly<Record<string, number>>;

/** What is read of src/constants.ts. */
export interface Constants {
  readonly newtonConstants: Numbers;
  readonly contactConstants: Numbers;
  readonly andersonWindows: Numbers;
  readonly contactRounds: Numbers;
  readonly factorConstants: Numbers;
  readonly blockSizes: Numbers;
}

/** What is read of src/kernels/description.ts. */
export interface Description {
  readonly pairHead: readonly string[];
  readonly pairFields: readonly (readonly [name: string, unit: string, entries?: number])[];
  readonly fiberHead: readonly string[];
  readonly fiberFields: readonly (readonly [name: string, each: number, more: number])[];
  readonly loadBits: Numbers;
  readonly fiberBits: Numbers;
  readonly fiberSchemes: Numbers;
  readonly stages: Numbers;
  readonly codes: Numbers;
  readonly outcomes: Numbers;
  readonly contactOutcomes: Numbers;
  readonly contactEntries: Numbers;
}

/** Runs a file without imports. */
export async function runModule(text: string): Promise<unknown> {
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(text, { compilerOptions: options });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

const writeIntegers = (numbers: Numbers): string =>
  Object.entries(numbers)
    .map(([name, value]) => `export const ${name}: i32 = ${value};\n`)
    .join('');

const writeReals = (numbers: Numbers): string =>
  Object.entries(numbers)
    .map(([name, value]) => `export const ${name}: f64 = ${Number.isInteger(value) ? value.toFixed(1) : value};\n`)
    .join('');

const writeClass = (
  name: string,
  head: readonly string[],
  fields: readonly (readonly [string, ...unknown[]])[],
): string => {
  const integers = head.map((field) => `  ${field}: i32;\n`).join('');
  const addresses = fields.map(([field]) => `  ${field}: usize;\n`).join('');
  return `@unmanaged\nexport class ${name} {\n${integers}${addresses}}\n`;
};

/** Entries per unit of an array of a pair. */
export function entriesOf({ pairFields }: Description, name: string): number {
  const found = pairFields.find(([field]) => field === name);
  if (!found) throw new Error(`a pair has no array '${name}'`);
  return found[2] ?? 1;
}

/** The file kernels/assembly/shared.ts. */
export function writeShared(constants: Constants, description: Description): string {
  const { newtonConstants, contactConstants, factorConstants, andersonWindows, contactRounds, blockSizes } = constants;
  const { loadBits, fiberBits, fiberSchemes, stages, codes, outcomes, contactOutcomes, contactEntries } = description;
  // last values of q and f, the plain step, the best q; and per iterate that is remembered changes of q and f
  const mixing = 12 + 6 * andersonWindows.PAIR_WINDOW;
  if (
    entriesOf(description, 'mixing') !== mixing ||
    entriesOf(description, 'contacts') !== contactEntries.CONTACT_ENTRIES
  )
    throw new Error('the arrays of contacts in src/kernels/description.ts do not have the entries that kernels write');
  return [
    writeReals(newtonConstants),
    writeReals(contactConstants),
    writeReals(factorConstants),
    ...[andersonWindows, contactRounds, blockSizes].map(writeIntegers),
    ...[loadBits, fiberBits, fiberSchemes, stages, codes, outcomes, contactOutcomes, contactEntries].map(writeIntegers),
    writeIntegers({ MIXING: mixing }),
    writeClass('Pair', description.pairHead, description.pairFields),
    writeClass('FiberPair', description.fiberHead, description.fiberFields),
  ].join('\n');
}
