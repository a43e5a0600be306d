/** Times the dispatches of a device one by one, with timestamp queries. The device must have the feature `timestamp-query`. */
import type { Device } from '@tendril-sim/core/batch';

/** Methods of the device that are reached through the wrapper; all else goes to the device itself. */
type Methods = Record<string, (...values: readonly unknown[]) => unknown>;

/** GPU time of each entry point since the last call of `read` [ms]. */
export interface PassTimer {
  readonly device: Device;
  read(): Promise<ReadonlyMap<string, number>>;
}

const CAPACITY = 4096;
const [QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ] = [512, 4, 8, 1];

/** An object with some methods replaced; the others are called on the object itself. */
function override<T extends object>(of: T, methods: Methods): T {
  return new Proxy(of, {
    get(target, name) {
      const method = typeof name === 'string' ? methods[name] : undefined;
      const value: unknown = method ?? Reflect.get(target, name, target);
      return typeof value === 'function' && !method ? value.bind(target) : value;
    },
  });
}

/** Wraps a device so that every dispatch becomes a pass with its own timestamps. `label`: name in the report of the dispatch k since the last `read`. */
export function timePasses(raw: Device, label: (name: string, k: number) => string = (name) => name): PassTimer {
  const inner = raw as unknown as Methods;
  const names = new Map<unknown, string>();
  const listed: string[] = [];
  const queries = inner.createQuerySet.call(raw, { type: 'timestamp', count: CAPACITY });
  const resolved = raw.createBuffer({ size: 8 * CAPACITY, usage: QUERY_RESOLVE | COPY_SRC });
  const staging = raw.createBuffer({ size: 8 * CAPACITY, usage: COPY_DST | MAP_READ });

  const wrapPass = (encoder: Methods): Methods => {
    let [pipeline, group]: unknown[] = [];
    const dispatch = (name: string, values: readonly unknown[]): void => {
      const k = 2 * listed.length;
      const isTimed = k < CAPACITY;
      const timestampWrites = { querySet: queries, beginningOfPassWriteIndex: k, endOfPassWriteIndex: k + 1 };
      const pass = encoder.beginComputePass(isTimed ? { timestampWrites } : {}) as Methods;
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass[name](...values);
      pass.end();
      if (isTimed) listed.push(names.get(pipeline) ?? '?');
    };
    return {
      setPipeline: (one) => {
        pipeline = one;
      },
      setBindGroup: (_, one) => {
        group = one;
      },
      dispatchWorkgroups: (...values) => dispatch('dispatchWorkgroups', values),
      dispatchWorkgroupsIndirect: (...values) => dispatch('dispatchWorkgroupsIndirect', values),
      end: () => undefined,
    };
  };
  const device = override(raw, {
    createComputePipelineAsync: async (descriptor) => {
      const pipeline = await raw.createComputePipelineAsync(descriptor as object);
      names.set(pipeline, (descriptor as { readonly compute: { readonly entryPoint: string } }).compute.entryPoint);
      return pipeline;
    },
    createCommandEncoder: () => {
      const encoder = raw.createCommandEncoder() as unknown as Methods & object;
      return override(encoder, { beginComputePass: () => wrapPass(encoder) });
    },
  });
  return {
    device,
    async read() {
      const encoder = raw.createCommandEncoder();
      (encoder as unknown as Methods).resolveQuerySet(queries, 0, Math.max(1, 2 * listed.length), resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, 8 * CAPACITY);
      raw.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_READ);
      const times = new BigUint64Array(staging.getMappedRange().slice(0));
      staging.unmap();
      const total = new Map<string, number>();
      listed.forEach((entry, k) => {
        const name = label(entry, k);
        total.set(name, (total.get(name) ?? 0) + Number(times[2 * k + 1] - times[2 * k]) / 1e6);
      });
      listed.length = 0;
      return total;
    },
  };
}
