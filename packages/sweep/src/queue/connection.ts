/**
 * Connections to Redis or Valkey, and what is used of the packages bullmq and ioredis, which are optional. Passwords are never printed.
 */
import { readFileSync } from 'node:fs';
import { InputError } from '@tendril-sim/io';
import { loadOptional } from '../optional.ts';

/** What is used of ioredis. */
export interface RedisClient {
  connect(): Promise<void>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string, ...options: (string | number)[]): Promise<string | null>;
  del(...keys: string[]): Promise<number>;
  rpush(key: string, ...values: string[]): Promise<number>;
  lrange(key: string, from: number, to: number): Promise<string[]>;
  ltrim(key: string, from: number, to: number): Promise<string>;
  hset(key: string, field: string, value: string): Promise<number>;
  hgetall(key: string): Promise<Record<string, string>>;
  hdel(key: string, ...fields: string[]): Promise<number>;
  on(event: string, listener: (error: Error) => void): unknown;
  disconnect(): void;
}

interface Ioredis {
  readonly Redis: new (url: string, options: Readonly<Record<string, unknown>>) => RedisClient;
}

export interface Job {
  readonly id?: string;
  readonly data: JobData;
  readonly failedReason?: string;
  readonly attemptsMade: number;
  remove(): Promise<void>;
  /** Puts an active job back, to be taken from this time on; its processor then throws DelayedError. */
  moveToDelayed(time: number, token?: string): Promise<void>;
}

export interface JobData {
  readonly study: string;
  readonly spec: import('../study/planTypes.ts').RunSpec;
}

/** What is used of bullmq. */
export interface BullQueue {
  addBulk(
    jobs: readonly {
      readonly name: string;
      readonly data: JobData;
      readonly opts: Readonly<Record<string, unknown>>;
    }[],
  ): Promise<unknown>;
  getJobCounts(...types: string[]): Promise<Record<string, number>>;
  getJobs(types: string[], from: number, to: number): Promise<(Job | undefined)[]>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  isPaused(): Promise<boolean>;
  drain(delayed: boolean): Promise<void>;
  /** 0 if the job is active or gone. */
  remove(jobId: string): Promise<number>;
  on(event: string, listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

export interface BullWorker {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  close(force?: boolean): Promise<void>;
}

interface Bullmq {
  readonly DelayedError: new () => Error;
  readonly Queue: new (name: string, options: Readonly<Record<string, unknown>>) => BullQueue;
  readonly Worker: new (
    name: string,
    processor: (job: Job, token?: string) => Promise<unknown>,
    options: Readonly<Record<string, unknown>>,
  ) => BullWorker;
}

export const loadBullmq = (): Promise<Bullmq> => loadOptional<Bullmq>('bullmq', 'a queue');

/** `redis://host:6379` without user and password. */
export function maskUrl(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return 'the address of the queue';
  }
}

/** Redis received a command and rejected it: its memory or disk is full, or it became a replica. */
export const isRejection = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';

/** What to do about an error of Redis. */
export function explainRedis(url: string, error: Error): InputError {
  const text = error.message;
  const where = maskUrl(url);
  if (/WRONGPASS|NOAUTH|invalid password|AUTH/i.test(text))
    return new InputError(
      where,
      'Redis refuses the user or password; give them as redis://user:password@host:6379, or in TENDRIL_QUEUE',
      { cause: error },
    );
  if (/certificate|unable to verify/i.test(text))
    return new InputError(
      where,
      `the certificate of Redis is not trusted, or Redis does not trust ours (${text}); name PEM files in TENDRIL_QUEUE_CA, and in TENDRIL_QUEUE_CERT and TENDRIL_QUEUE_KEY if Redis asks for a client's certificate`,
      { cause: error },
    );
  if (isRejection(error))
    return new InputError(where, `Redis rejects commands (${text}); mend that, and run the same command again`, {
      cause: error,
    });
  return new InputError(where, `Redis cannot be reached (${text}); is it running, and is the address right?`, {
    cause: error,
  });
}

const certificates = { ca: 'TENDRIL_QUEUE_CA', cert: 'TENDRIL_QUEUE_CERT', key: 'TENDRIL_QUEUE_KEY' } as const;

/** Certificates for rediss://, from PEM files that the environment names. */
function readCertificates(url: string): Readonly<Record<string, unknown>> {
  if (!url.startsWith('rediss://')) return {};
  const tls: Record<string, string> = {};
  for (const [field, variable] of Object.entries(certificates)) {
    const path = process.env[variable];
    if (!path) continue;
    try {
      tls[field] = readFileSync(path, 'utf8');
    } catch (error) {
      throw new InputError(variable, `'${path}' cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }
  return { tls };
}

/** Connects, or says why not. Once connected, a connection that is lost comes back by itself. */
export async function connectRedis(url: string): Promise<RedisClient> {
  if (!/^rediss?:\/\//.test(url))
    throw new InputError(maskUrl(url), 'expected an address such as redis://:password@host:6379, or rediss:// for TLS');
  const { Redis } = await loadOptional<Ioredis>('ioredis', 'a queue');
  let isConnected = false;
  const client = new Redis(url, {
    ...readCertificates(url),
    lazyConnect: true,
    connectTimeout: 5000,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => (isConnected ? Math.min(100 * times, 1000) : null),
  });
  let last: Error | undefined;
  client.on('error', (error) => {
    last = error;
  });
  try {
    await client.connect();
    await client.get('tendril:ping');
  } catch (error) {
    client.disconnect();
    throw explainRedis(url, last ?? (error as Error));
  }
  isConnected = true;
  return client;
}

/** Of one version: workers of another one must not take its runs. */
export const queueName = (version: string): string => `runs-${version.replaceAll(':', '-')}`;
export const queuePrefix = 'tendril-queue';

/** Opens the queue of a version of Tendril on a connection to Redis. */
export async function openQueue(connection: RedisClient, version: string): Promise<BullQueue> {
  const { Queue } = await loadBullmq();
  const queue = new Queue(queueName(version), { connection, prefix: queuePrefix });
  // reported where commands fail; without a listener it would end the process
  queue.on('error', () => {});
  return queue;
}

/** Names of the keys in Redis, for programs that watch a queue. */
export const keys = {
  plan: (study: string): string => `tendril:plan:${study}`,
  /** Hash of the plan: a study that is started again may have other limits or recordings. */
  planHash: (study: string): string => `tendril:plan-hash:${study}`,
  results: (study: string): string => `tendril:results:${study}`,
  coordinator: (study: string): string => `tendril:coordinator:${study}`,
  studies: 'tendril:studies',
  workers: 'tendril:workers',
  drained: 'tendril:drained',
} as const;
