/**
 * Puts objects into an S3-compatible store by aws4fetch, an optional dependency. Keys come from the usual environment variables,
 * never from the study: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION.
 */
import { InputError } from '@tendril-sim/io';
import { loadOptional } from '../optional.ts';

export function isStore(to: string): boolean {
  return to.startsWith('s3://');
}

/** What is used of the package aws4fetch. */
interface Aws4fetch {
  readonly AwsClient: new (
    options: Readonly<Record<string, string | number>>,
  ) => { fetch(url: string, init: RequestInit): Promise<Response> };
}

interface Target {
  readonly url: string;
  readonly name: string;
}

/** `s3://bucket/prefix` at an endpoint, by path and not by host name, which every compatible store understands. */
function locate(to: string, key: string, endpoint: string | undefined): Target {
  const [bucket, ...prefix] = to
    .slice('s3://'.length)
    .split('/')
    .filter((part) => part !== '');
  if (bucket === undefined) throw new InputError(to, 'expected s3://bucket/prefix');
  const path = [...prefix, key].map(encodeURIComponent).join('/');
  const region = process.env.AWS_REGION ?? 'us-east-1';
  const host = (endpoint ?? process.env.AWS_ENDPOINT_URL ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
  return { url: `${host}/${bucket}/${path}`, name: `s3://${[bucket, ...prefix, key].join('/')}` };
}

async function send(target: Target, init: RequestInit): Promise<Response> {
  const { AwsClient } = await loadOptional<Aws4fetch>('aws4fetch', 'recordings in an S3-compatible store');
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  if (!accessKeyId || !secretAccessKey)
    throw new InputError(target.name, 'the store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    region: process.env.AWS_REGION ?? 'us-east-1',
    retries: 3,
  });
  let response: Response;
  try {
    response = await client.fetch(target.url, init);
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new InputError(target.name, `the store cannot be reached: ${reason}`, { cause: error });
  }
  if (response.ok) return response;
  const code = /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1];
  throw new InputError(target.name, `the store answered ${response.status}${code ? ` ${code}` : ''}`);
}

/** Stores bytes; returns the address `s3://bucket/prefix/key`. */
export async function putObject(to: string, key: string, bytes: Uint8Array, endpoint?: string): Promise<string> {
  const target = locate(to, key, endpoint);
  await send(target, {
    method: 'PUT',
    body: bytes as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': 'application/octet-stream' },
  });
  return target.name;
}

export async function getObject(address: string, endpoint?: string): Promise<Uint8Array> {
  const at = address.lastIndexOf('/');
  const target = locate(address.slice(0, at), address.slice(at + 1), endpoint);
  return new Uint8Array(await (await send(target, { method: 'GET' })).arrayBuffer());
}
