/** Entry of a worker process: executes runs one after the other, and keeps kernels and compiled expressions between them. */
import { Worker } from 'node:worker_threads';
import { createExecutor, type Executor } from '../run/execute.ts';
import type { FromWorker, ToWorker } from './messages.ts';

const executors = new Map<string, Executor>();
const send = (message: FromWorker): void => void process.send?.(message);

const [, , parent] = process.argv;
new Worker(new URL('./parentWatch.js', import.meta.url), { execArgv: [], workerData: Number(parent) }).unref();

// Ctrl-C is for the coordinator, which decides what to keep
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToWorker) => {
  if (message.type === 'plan') {
    executors.set(message.id, createExecutor(message.plan));
    return;
  }
  if (message.type === 'forget') {
    executors.delete(message.id);
    return;
  }
  const executor = executors.get(message.id);
  if (!executor) throw new Error(`there is no plan '${message.id}'`);
  void executor.execute(message.spec).then((outcome) => send({ type: 'outcome', outcome }));
});
send({ type: 'ready' });
