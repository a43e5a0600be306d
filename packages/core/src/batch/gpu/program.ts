/** The program of strands on a device: the buffers of its entry points and their sizes, and its pipelines. */
import { LANES } from '../layout.ts';
import { gridSizes } from './gridShader.ts';
import { type PairEntry, pairEntries, searchEntries } from './pairPasses.ts';
import {
  bindings,
  bufferSlots,
  hasContactOf,
  OBSTACLE_VECTORS,
  PARAMETER_BYTES,
  ROOT_VECTORS,
  type ShaderOptions,
  STRAND_VECTORS,
  writeShader,
} from './shader.ts';
import { statusBytes } from './statusShader.ts';
import type { Device, DevicePipeline } from './webgpu.ts';

/** Bit of GPUShaderStage. */
const COMPUTE = 4;

/** The program: `divide` lists strands by whether they are in contact, `press` iterates strands in contact, `pair` has the entry points of contact between strands. */
export interface Program {
  readonly bound: BoundLayout;
  /** Layout of the search for pairs. */
  readonly search?: BoundLayout;
  readonly advance: DevicePipeline;
  readonly divide?: DevicePipeline;
  readonly press?: DevicePipeline;
  readonly pair?: Readonly<Record<PairEntry, DevicePipeline>>;
}

/** Bytes of each buffer of `count` strands; 0: it is not bound. `fieldRows`: of distance fields. */
export function bufferBytes(
  shader: ShaderOptions,
  count: number,
  fieldRows = 0,
): Readonly<Record<keyof typeof bindings, number>> {
  const slots = bufferSlots(shader);
  const rows = Math.ceil(count / LANES) * shader.nodes * LANES * 16;
  const ownRoots = shader.roots === 'each';
  const sizes = shader.pairs && gridSizes(count * (shader.nodes - 1), shader.pairs.realTime);
  const hasContact = hasContactOf(shader);
  return {
    parameters: PARAMETER_BYTES,
    strands: 16 * (count * (STRAND_VECTORS + (ownRoots ? ROOT_VECTORS : 0)) + fieldRows),
    joints: rows * slots.joint,
    states: rows * slots.state,
    gains: rows * slots.gain,
    positions: rows,
    forces: shader.forces ? rows : 0,
    status: ownRoots || hasContact ? statusBytes(count, { has: hasContact, pairs: shader.pairs !== undefined }) : 0,
    contacts: rows * slots.contact,
    obstacles: hasContact ? 16 * OBSTACLE_VECTORS * Math.max(1, shader.obstacles) : 0,
    pairs: rows * slots.pair,
    candidates: 4 * (sizes?.candidates ?? 0),
    grid: 4 * (sizes?.grid ?? 0),
    spans: 16 * (sizes?.spans ?? 0),
  };
}

async function compileEach<Name extends string>(
  names: readonly Name[],
  compile: (name: Name) => Promise<DevicePipeline>,
): Promise<Record<Name, DevicePipeline>> {
  const pipelines = await Promise.all(names.map(compile));
  return Object.fromEntries(names.map((name, k) => [name, pipelines[k]])) as Record<Name, DevicePipeline>;
}

type BufferName = keyof typeof bindings;

/** Buffers that are bound to entry points, and the layout of their bindings. */
export interface BoundLayout {
  readonly names: readonly BufferName[];
  readonly layout: object;
}

/** A device may support no more than ten storage buffers, so these are bound only to the search for pairs. */
const searchOnly: ReadonlySet<BufferName> = new Set(['grid', 'spans']);
const notInSearch: ReadonlySet<BufferName> = new Set(['gains', 'positions', 'contacts', 'obstacles']);

/** Layout of all buffers except `leftOut`. */
function createLayout(device: Device, shader: ShaderOptions, leftOut: ReadonlySet<BufferName>): BoundLayout {
  const bytes = bufferBytes(shader, 1);
  const readOnly = new Set<string>(['strands', 'joints', 'forces']);
  const uniform = new Set<string>(['parameters', 'obstacles']);
  const typeOf = (name: string): string =>
    uniform.has(name) ? 'uniform' : readOnly.has(name) ? 'read-only-storage' : 'storage';
  const names = (Object.keys(bindings) as BufferName[]).filter((name) => bytes[name] > 0 && !leftOut.has(name));
  const most = device.limits.maxStorageBuffersPerShaderStage ?? 8;
  const storage = names.filter((name) => !uniform.has(name)).length;
  if (storage > most)
    throw new Error(`contact between strands takes ${storage} storage buffers, and the device has ${most}`);
  const layout = device.createBindGroupLayout({
    entries: names.map((name) => ({ binding: bindings[name], visibility: COMPUTE, buffer: { type: typeOf(name) } })),
  });
  return { names, layout };
}

const programs = new WeakMap<Device, Map<string, Program>>();

/** Compiling a program takes some tenths of a second, so each is compiled once per device. */
export async function openProgram(device: Device, shader: ShaderOptions): Promise<Program> {
  const known = programs.get(device) ?? new Map<string, Program>();
  programs.set(device, known);
  const code = writeShader(shader);
  const found = known.get(code);
  if (found) return found;
  const module = device.createShaderModule({ code });
  const compileWith = ({ layout: group }: BoundLayout): ((entryPoint: string) => Promise<DevicePipeline>) => {
    const layout = device.createPipelineLayout({ bindGroupLayouts: [group] });
    return (entryPoint) => device.createComputePipelineAsync({ layout, compute: { module, entryPoint } });
  };
  const bound = createLayout(device, shader, searchOnly);
  const compile = compileWith(bound);
  const search = shader.pairs && createLayout(device, shader, notInSearch);
  const pair = search && {
    ...(await compileEach(pairEntries, compile)),
    ...(await compileEach(searchEntries, compileWith(search))),
  };
  const program: Program = {
    bound,
    advance: await compile('advance'),
    ...(hasContactOf(shader) && { divide: await compile('divide'), press: await compile('press') }),
    ...(pair && { pair, search }),
  };
  known.set(code, program);
  return program;
}
