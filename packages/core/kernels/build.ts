/**
 * Builds the kernels: formulas of the reference → AssemblyScript → WebAssembly → a module that holds it as text, which
 * works the same in Node, in a browser and in a bundle.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { translate } from './translate.ts';

const core = join(process.cwd(), 'packages/core');
const read = (file: string): string => readFileSync(join(core, 'src', file), 'utf8');
const source = (file: string, functions: string[]): { file: string; text: string; functions: string[] } => ({
  file,
  text: read(file),
  functions,
});

const formulas = translate([
  source('math/vec3.ts', ['transport3']),
  source('linalg/band.ts', ['reduceRow']),
  source('models/der/strain.ts', ['rotationStrain']),
  source('models/der/joint.ts', ['writeJoint', 'addCongruence', 'addCurvatureOfPrimitives']),
  source('models/der/energy.ts', ['addNodeBlock']),
  source('models/der/stage.ts', ['addEdgeBlock']),
  source('models/der/kinematics.ts', ['turnFrame']),
]);
const note = '// Made by kernels/build.ts from the sources of the model: do not edit.\n';
const lanes = "import { add, cos, div, ld, mul, sin, st, sub, writeAngleRatio } from './lanes';\n\n";
writeFileSync(join(core, 'kernels/assembly/generated.ts'), `${note}${lanes}${formulas}`);

const made = join(core, 'kernels/dist');
mkdirSync(made, { recursive: true });
const wasm = join(made, 'der.wasm');
const options = ['--enable', 'simd', '--runtime', 'stub', '--importMemory', '--noAssert', '-O3'];
const limits = ['--initialMemory', '1', '--uncheckedBehavior', 'always', '--use', 'abort=', '--disableWarning', '112'];
const compiler = join(process.cwd(), 'node_modules/assemblyscript/bin/asc.js');
const entry = join(core, 'kernels/assembly/index.ts');
execFileSync(process.execPath, [compiler, entry, '-o', wasm, ...options, ...limits], { stdio: 'inherit' });

const folder = join(core, 'src/kernels/generated');
mkdirSync(folder, { recursive: true });
const text = readFileSync(wasm).toString('base64');
writeFileSync(join(folder, 'der.ts'), `${note}export const derWasm: string =\n  '${text}';\n`);
