/** Recordings in an S3-compatible store: s3rver, on loopback. */
import { createRequire } from 'node:module';
import { decodeRecording } from '@tendril-sim/io';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getObject } from '../src/run/objectStore.ts';
import { type Bench, createBench, tendril } from './harness.ts';

interface S3Server {
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

// the public example keys of s3rver
const env = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' };

let bench: Bench;
let server: S3Server;
let endpoint = '';
beforeAll(async () => {
  bench = createBench();
  const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3Server;
  server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: `${bench.folder}/s3`,
    configureBuckets: [{ name: 'ropes' }],
  });
  endpoint = `http://127.0.0.1:${(await server.run()).port}`;
});
afterAll(async () => {
  await server.close();
  bench.remove();
});

const study = (to: string): string => `sweep: 1
scene: rod.yaml
command: run
parameters: [{ name: E, path: 'rods[0].material.E', values: [1 GPa, 2 GPa] }]
quantities: { tip: probe.tip.z }
recordings: { to: '${to}', endpoint: '${endpoint}' }
`;

describe('recordings of a study', () => {
  it('go to a bucket and come back', async () => {
    bench.write('stored.yaml', study('s3://ropes/first try'));
    const { code, err } = await tendril(['sweep', 'stored.yaml', '--out', 'stored', '--csv'], bench.folder, env);
    expect(code, err).toBe(0);
    const address = /s3:\/\/ropes\/first try\/[0-9a-f]{32}\.tendril/.exec(bench.read('stored/results.csv'))?.[0] ?? '';
    Object.assign(process.env, env);
    const recording = decodeRecording(await getObject(address, endpoint), address);
    // 20 ms every 5 ms
    expect(recording.frameCount).toBe(5);
  });

  it('that the store refuses fail with its answer', async () => {
    bench.write('refused.yaml', study('s3://nowhere/x'));
    const { code, err } = await tendril(['sweep', 'refused.yaml', '--out', 'refused'], bench.folder, env);
    expect(code).toBe(3);
    expect(err).toContain('the store answered 404 NoSuchBucket');
  });
});
