/**
 * A pool of worker processes. Each holds one run at a time, with limits of time and memory; a process that exceeds them, crashes or is
 * killed is replaced. Processes and not threads: one that runs out of memory must not take the others with it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { emptyRow, type Outcome } from '../run/execute.ts';
import type { Plan, RunSpec } from '../study/planTypes.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** The process died under the run, and not by a limit: worth another try. */
export class WorkerCrash extends Error {}

/** The pool was closed under the run or before it began: that says nothing about the run. */
export class PoolClosed extends WorkerCrash {
  constructor() {
    super('the pool is closed');
  }
}

/** Worker processes that execute runs. */
export interface Pool {
  /** Number of processes. */
  readonly size: number;
  /** Executes a run on a free process. Rejects with WorkerCrash if the process dies. */
  execute(plan: Plan, spec: RunSpec): Promise<Outcome>;
  /** Process ids, for status pages and tests. */
  readonly pids: readonly number[];
  /** Kills all processes. Runs that are not finished reject with PoolClosed. */
  close(): void;
}

interface Slot {
  process: ChildProcess | undefined;
  /** The process has loaded the program. */
  isReady: boolean;
  /** Plans that the process holds. */
  readonly plans: Set<Plan>;
  stderr: string;
  task: Task | undefined;
  /** Memory that the process was started with [bytes]. */
  memory: number;
}

interface Task {
  readonly plan: Plan;
  readonly spec: RunSpec;
  started: number;
  timer: NodeJS.Timeout | undefined;
  /** Why the pool killed the process. */
  killed?: 'timeout' | 'out-of-memory';
  resolve(outcome: Outcome): void;
  reject(error: WorkerCrash): void;
}

interface Waiting {
  readonly plan: Plan;
  readonly spec: RunSpec;
  resolve(outcome: Outcome): void;
  reject(error: WorkerCrash): void;
}

/** Compiled code, also when this file runs from its source in a test. */
function entry(): string {
  const beside = fileURLToPath(new URL('./process.js', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/pool/process.js', import.meta.url));
}

/**
 * A worker keeps 26 MB of live objects; with V8's own sizes another 120 MB of garbage waits for collection. These halve the memory of a
 * process and cost about 5 % of its time.
 */
const heapOptions = ['--max-semi-space-size=8', '--heap-growing-percent=60'];

/** How often memory is looked at [ms]. */
const watchEvery = 250;

/** Creates a pool of `size` worker processes; each starts when its first run arrives. */
export function createPool(size: number): Pool {
  const slots: Slot[] = Array.from({ length: size }, () => ({
    process: undefined,
    isReady: false,
    plans: new Set<Plan>(),
    stderr: '',
    task: undefined,
    memory: 0,
  }));
  const waiting: Waiting[] = [];
  let closed = false;
  const next = (slot: Slot): void => {
    if (closed) return;
    const job = waiting.shift();
    if (job) begin(slot, job, next);
  };
  const watch = setInterval(() => slots.forEach(watchMemory), watchEvery);
  watch.unref();
  return {
    size,
    get pids() {
      return slots.flatMap((slot) => slot.process?.pid ?? []);
    },
    execute: (plan, spec) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new PoolClosed());
        waiting.push({ plan, spec, resolve, reject });
        const free = slots.find(({ task }) => task === undefined);
        if (free) next(free);
      }),
    close() {
      closed = true;
      clearInterval(watch);
      for (const { reject } of waiting.splice(0)) reject(new PoolClosed());
      for (const slot of slots) {
        clearTimeout(slot.task?.timer);
        slot.task?.reject(new PoolClosed());
        slot.task = undefined;
        slot.process?.kill('SIGKILL');
      }
    },
  };
}

function begin(slot: Slot, { plan, spec, resolve, reject }: Waiting, next: (slot: Slot) => void): void {
  const task: Task = { plan, spec, started: performance.now(), timer: undefined, resolve, reject };
  slot.task = task;
  // the heap limit is that of the process: a plan with another one needs a process of its own
  if (slot.process && slot.memory !== plan.limits.memory) retire(slot);
  if (!slot.process) start(slot, plan.limits.memory, next);
  const child = slot.process as ChildProcess | undefined;
  const id = identify(plan);
  if (!slot.plans.has(plan)) post(child, { type: 'plan', id, plan });
  slot.plans.add(plan);
  for (const oldest of slot.plans) {
    if (slot.plans.size <= mostPlans || oldest === plan) break;
    slot.plans.delete(oldest);
    post(child, { type: 'forget', id: identify(oldest) });
  }
  post(child, { type: 'run', id, spec });
  if (slot.isReady) startTimer(slot);
}

/** Plans that a process keeps: a worker of a farm meets thousands, with a scene each. */
const mostPlans = 8;

const ids = new WeakMap<Plan, string>();
let planCount = 0;

/** Of one plan object. `plan.key` would not do: plans that differ in limits or recordings have the same. */
function identify(plan: Plan): string {
  const id = ids.get(plan) ?? `plan-${++planCount}`;
  ids.set(plan, id);
  return id;
}

/** Longest delay of a timer in Node [ms], 24.8 days: a longer one would end at once. */
const longestDelay = 2 ** 31 - 1;

/** The limit is on the run: loading the program does not count. */
function startTimer(slot: Slot): void {
  const { task } = slot;
  if (!task) return;
  task.started = performance.now();
  task.timer = setTimeout(
    () => {
      task.killed = 'timeout';
      slot.process?.kill('SIGKILL');
    },
    Math.min(task.plan.limits.time * 1000, longestDelay),
  );
}

function post(child: ChildProcess | undefined, message: ToWorker): void {
  // a process that has just died: its exit is handled where it is reported
  if (child?.connected) child.send(message, () => {});
}

function retire(slot: Slot): void {
  const old = slot.process;
  slot.process = undefined;
  old?.removeAllListeners('exit');
  old?.disconnect();
}

function start(slot: Slot, memory: number, next: (slot: Slot) => void): void {
  const child = fork(entry(), [String(process.pid)], {
    execArgv: [...heapOptions, `--max-old-space-size=${Math.max(64, Math.round(memory / 1e6))}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  slot.process = child;
  slot.memory = memory;
  slot.isReady = false;
  slot.plans.clear();
  slot.stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    slot.stderr = (slot.stderr + text).slice(-4000);
  });
  child.on('message', (message: FromWorker) => {
    const { task } = slot;
    if (slot.process !== child) return;
    if (message.type === 'ready') {
      slot.isReady = true;
      startTimer(slot);
    }
    if (message.type !== 'outcome' || !task) return;
    clearTimeout(task.timer);
    slot.task = undefined;
    task.resolve(message.outcome);
    next(slot);
  });
  child.on('error', () => {});
  child.on('exit', (code, signal) => {
    if (slot.process !== child) return;
    slot.process = undefined;
    const { task } = slot;
    slot.task = undefined;
    if (task) endTask(task, slot.stderr, code, signal);
    next(slot);
  });
}

/** Resolves a task whose process has ended without a result. */
function endTask(task: Task, stderr: string, code: number | null, signal: NodeJS.Signals | null): void {
  clearTimeout(task.timer);
  const { plan, spec } = task;
  const end = (status: 'timeout' | 'out-of-memory', message: string): void =>
    task.resolve({
      index: spec.index,
      hash: spec.hash,
      status,
      message,
      wall: (performance.now() - task.started) / 1000,
      rows: [emptyRow(plan)],
    });
  const memory = `${Math.round(plan.limits.memory / 1e6)} MB`;
  if (task.killed === 'timeout') {
    end(
      'timeout',
      `the run took longer than ${plan.limits.time} s and was killed; raise limits.time, or look for a hang`,
    );
  } else if (task.killed === 'out-of-memory' || /heap out of memory|Array buffer allocation failed/i.test(stderr)) {
    end(
      'out-of-memory',
      `the run needed more than ${memory} and was killed; raise limits.memory, or use fewer rods, edges or frames`,
    );
  } else {
    const how = signal === null ? `ended with code ${code}` : `was killed by ${signal}`;
    const last = stderr.trim().split('\n').slice(-12).join('\n');
    task.reject(new WorkerCrash(`the worker process ${how}${last === '' ? '' : `: ${last}`}`));
  }
}

/** Typed arrays are outside of the heap that Node limits. Linux reports the memory of a process; other systems rely on the heap limit. */
function watchMemory(slot: Slot): void {
  if (!slot.task || !slot.process?.pid) return;
  try {
    const resident = Number(readFileSync(`/proc/${slot.process.pid}/statm`, 'utf8').split(' ')[1]) * 4096;
    if (resident <= slot.memory) return;
    slot.task.killed = 'out-of-memory';
    slot.process.kill('SIGKILL');
  } catch {
    // the process has ended, or this is not Linux
  }
}
