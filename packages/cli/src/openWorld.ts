/** Creates a world from a scene: selects what computes it (kernels, threads, a GPU) by scene and command line. */
import { availableParallelism } from 'node:os';
import {
  type Backend,
  createWorld,
  type Model,
  type ModelId,
  type Scene,
  SceneError,
  SimulationError,
  type World,
  type WorldOptions,
} from '@tendril-sim/core';
import { loadSimdDer } from '@tendril-sim/core/batch';
import { countUsefulThreads, loadDer, loadFiber, loadThreadedDer, loadThreadedFiber } from '@tendril-sim/core/kernels';
import { type Gpu, NoGpuError, startGpu, startSimdThreads, startThreads } from '@tendril-sim/io/node';
import { isInterrupted } from './interrupt.ts';
import { explained, type Source } from './source.ts';

export interface WorldChoices {
  /** Total number; default: as many as the machine can run at once if the scene has enough rods. */
  readonly threads?: number;
  /** Disables the WebAssembly kernels and uses the reference implementation. */
  readonly plain?: boolean;
  /** True if a GPU may compute; default: no, the batch backend computes instead. */
  readonly gpu?: boolean;
  /** Called with a message on threads or the GPU, if there is one. */
  readonly warn?: (warning: string) => void;
  /** Called with what computes the rods, if the scene or the command line specifies it. */
  readonly announce?: (line: string) => void;
}

/** Number of rods and fibers from which threads are worth their start, some 50 ms each. */
const manyRods = 128;
const manyFibers = 16;
const manySimdRods = 1024;

/** Number of nodes from which `backend: auto` computes in single precision: below, opening a device takes longer than it gains. */
const manyNodes = 5_000;

/** With the engine that the scene requests, loaded only then, and with kernels if rods can be solved two at a time. */
export async function openWorld(source: Source, choices: WorldChoices = {}): Promise<World> {
  const { scene } = source;
  const bodies = scene.engine ? await (await import('@tendril-sim/bridge/rapier')).loadRapier() : undefined;
  // false until Ctrl-C, and always in commands that do not listen for it
  const options: WorldOptions = { ...(bodies && { bodies }), onSubstep: isInterrupted };
  const backend = scene.solver?.der?.backend ?? 'standard';
  if (backend === 'gpu' && !choices.gpu)
    return createWithKernels(source, withBackend(scene, 'batch'), options, choices);
  if (backend === 'gpu' || (backend === 'auto' && choices.gpu)) {
    const gpu = await tryGpu(source, options, choices);
    if ('world' in gpu) return gpu.world;
    const isServed = backend === 'auto' && !hasFields(scene) && !hasPairs(scene);
    const simd = isServed ? await trySimd(scene, options, choices) : undefined;
    if (simd) {
      choices.announce?.(`${simdLine} (${gpu.why})`);
      return simd;
    }
    const line = `${gpu.why}; the standard backend computes the rods`;
    if (backend === 'gpu') choices.warn?.(line);
    else choices.announce?.(line);
    return createWithKernels(source, withBackend(scene, 'standard'), options, choices);
  }
  if (backend === 'batch') choices.announce?.('rods of der are computed by: batch, in double precision on the CPU');
  if (backend === 'simd') choices.announce?.(simdLine);
  return createWithKernels(source, scene, options, choices);
}

const simdLine = 'rods of der are computed by: SIMD kernels on the CPU, in single precision';

function countNodes({ rods }: World): number {
  return rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
}

/** A world whose rods the SIMD kernels move, for `backend: auto`; undefined if they cannot move them, or the rods are few. */
async function trySimd(scene: Scene, options: WorldOptions, choices: WorldChoices): Promise<World | undefined> {
  try {
    const world = createWorld(withBackend(scene, 'simd'), { ...options, models: [await loadSimd(scene, choices)] });
    return countNodes(world) < manyNodes ? undefined : world;
  } catch (error) {
    // the standard backend explains a scene that is wrong for all
    if (error instanceof SceneError) return undefined;
    throw error;
  }
}

/** Whether air or other fields act: docs/notes/batch-engine.md, "Air". */
function hasFields({ fields = [] }: Scene): boolean {
  return fields.length > 0;
}

/** Whether rods meet rods. */
function hasPairs({ contact }: Scene): boolean {
  return contact !== undefined && contact.between !== 'none';
}

function withBackend(scene: Scene, backend: Backend): Scene {
  return { ...scene, solver: { ...scene.solver, der: { ...scene.solver?.der, backend } } };
}

/** A world whose rods the GPU moves, or why something else must compute them. */
async function tryGpu(
  source: Source,
  options: WorldOptions,
  { announce }: WorldChoices,
): Promise<{ readonly world: World } | { readonly why: string }> {
  const { scene } = source;
  const isAsked = scene.solver?.der?.backend === 'gpu';
  const decline = (why: string): { readonly why: string } => ({ why });
  // in dense hair it does not settle (docs/notes/batch-engine.md): only used on request
  if (!isAsked && hasPairs(scene))
    return decline(
      'contact between rods is solved less exactly on the GPU and with SIMD, which are only used if asked for by backend: gpu or simd',
    );
  if (!isAsked && hasFields(scene))
    return decline(
      'drag converges slowly on the GPU and with SIMD, which are only used if asked for by backend: gpu or simd',
    );
  let gpu: Gpu;
  try {
    gpu = await startGpu();
  } catch (error) {
    if (error instanceof NoGpuError) return decline(`no GPU: ${error.message}`);
    throw error;
  }
  const { model, isSoftware } = gpu;
  if (!isAsked && isSoftware) {
    gpu.close();
    return decline(`the only adapter, ${model.adapter}, computes on the CPU`);
  }
  try {
    const world = createWorld(withBackend(scene, 'gpu'), { ...options, models: [model] });
    const nodes = countNodes(world);
    if (!isAsked && nodes < manyNodes) {
      gpu.close();
      return decline(`${nodes} nodes are too few for the GPU (${model.adapter}) to be faster`);
    }
    announce?.(`rods of der are computed by: ${model.adapter}, in single precision`);
    return { world };
  } catch (error) {
    gpu.close();
    if (error instanceof SceneError && !isAsked) return decline(`the GPU cannot compute this scene: ${error.message}`);
    if (error instanceof SceneError) throw source.explain(error);
    if (error instanceof SimulationError) throw error;
    return decline(`the GPU (${model.adapter}) cannot compute these rods: ${(error as Error).message}`);
  }
}

async function createWithKernels(
  source: Source,
  scene: Scene,
  options: WorldOptions,
  { threads, plain, warn }: WorldChoices,
): Promise<World> {
  const count = (id: ModelId): number => scene.rods.filter(({ model = 'der' }) => model === id).length;
  // the kernels of der are not those of the batch backend
  const backend = scene.solver?.der?.backend;
  const [rods, fibers] = [backend === 'batch' || backend === 'simd' ? 0 : count('der'), count('fiber')];
  const models: Model[] = backend === 'simd' ? [await loadSimd(scene, { threads })] : [];
  // the reference implementation uses one thread, unless more are requested
  const kernels = !plain;
  const most = Math.max(countUsefulThreads(rods), countUsefulThreads(fibers));
  if (threads !== undefined && threads > most)
    warn?.(`--threads ${threads}: ${most} ${most === 1 ? 'is' : 'are'} used, one per two rods at most`);
  else if (threads !== undefined && threads > availableParallelism())
    warn?.(`--threads ${threads}: this machine runs ${availableParallelism()} at once; more threads are slower`);
  const countFor = (some: number, many: number): number => {
    const wanted = threads ?? (plain || some < many ? 1 : availableParallelism());
    return Math.min(wanted, countUsefulThreads(some));
  };
  const [forRods, forFibers] = [countFor(rods, manyRods), countFor(fibers, manyFibers)];
  const asked = threads !== undefined;
  if (rods > 1 && (kernels || forRods !== 1)) models.push(await loadModel('der', forRods, asked, kernels));
  if (fibers > 0 && (kernels || forFibers !== 1)) models.push(await loadModel('fiber', forFibers, asked, kernels));
  return explained(source, () => createWorld(scene, { ...options, models }));
}

/** The SIMD kernels, with as many threads as the machine can run at once if the rods are many, or as requested. */
function loadSimd(scene: Scene, { threads }: Pick<WorldChoices, 'threads'>): Promise<Model> {
  const rods = scene.rods.length;
  const count = threads ?? (rods < manySimdRods ? 1 : availableParallelism());
  // one thread moves strands that meet strands
  if (count === 1 || hasPairs(scene)) return loadSimdDer();
  return loadSimdDer({ workers: startSimdThreads(count).ports, ...(threads !== undefined && { leastRods: 2 }) });
}

/** `threads`: total number; `asked`: requested by the user, who then gets them for any number of rods that can keep them busy. */
async function loadModel(id: 'der' | 'fiber', threads: number, asked: boolean, kernels: boolean): Promise<Model> {
  if (threads === 1) return id === 'der' ? loadDer() : loadFiber();
  const load = id === 'der' ? loadThreadedDer : loadThreadedFiber;
  return load(startThreads(threads).ports, { kernels, ...(asked && { leastParts: 2 }) });
}
