/**
 * The requests that the caller's thread sends to the worker threads: each is a type with named fields, and only this file knows their layout in
 * shared memory.
 *
 * A request is written once and read by all workers, each of which processes its own range of rods. Lists that grow with the scene (contact sides,
 * marks of systems) are not part of a request: they are in shared buffers that it refers to.
 */

/** Contact sides in shared memory (contact/solve/sideArrays.ts). Which of them belong to which thread is in `WorkerPool.sideBounds`. */
export interface SidesReference {
  /** Number of this layout of sides: a worker keeps its views until it changes. */
  readonly layout: number;
  /** Shared buffer that holds them, the number of sides it is laid out for, and which of those is the bundle's first. */
  readonly slot: number;
  readonly total: number;
  readonly first: number;
  /** Numbers per side: 1 with directions, else 3. */
  readonly axes: number;
  readonly hasGoals: boolean;
  readonly isReleased: boolean;
}

/** Times are in seconds. `values`: at most VALUES numbers. */
export interface Requests {
  /** Steps the worker's rods from t to t + dt. `savesStart`: first saves their state as the start of the world's step. `skips`: leaves out the rods marked as skipped. */
  readonly advance: { readonly t: number; readonly dt: number; readonly robust: boolean } & {
    readonly savesStart: boolean;
    readonly skips: boolean;
  };
  /** The caller has written the state: recompute everything that follows from it. `skips`: leaves out the rods marked as skipped. */
  readonly refresh: { readonly t: number; readonly skips: boolean };
  /** `ContactPort.hold` for the worker's rods. */
  readonly hold: { readonly savesStart: boolean };
  /** `ContactPort.revert` and the members after it, for the marked systems. */
  readonly revert: { readonly t: number };
  readonly guess: SidesReference & { readonly t: number; readonly dt: number };
  readonly linearize: SidesReference & { readonly t: number; readonly dt: number; readonly fresh: boolean };
  readonly factor: SidesReference;
  /** `selected`: for the marked systems alone. */
  readonly solve: SidesReference & { readonly selected: boolean };
  readonly step: SidesReference & { readonly t: number; readonly dt: number } & {
    readonly robust: boolean;
    readonly rough: boolean;
  };
  readonly readVelocity: SidesReference;
  /** `ContactThreads.addDisplacements`. */
  readonly addDisplacements: SidesReference & { readonly dt: number };
  /** `ContactPort.stepSingleRods`: single rods against colliders. `stealing`: by chunks (workStealing.ts), not by ranges. */
  readonly stepSingleRods: { readonly t: number; readonly dt: number; readonly fresh: boolean } & {
    readonly rods: number;
    readonly contacts: number;
    readonly speed: number;
    readonly tolerance: number;
    readonly iterations: number;
    readonly stealing: boolean;
  };
  /** A loop of Anderson acceleration (contact/solve/anderson.ts). */
  readonly solverLoop: SidesReference & { readonly loop: number; readonly capacity: number } & {
    readonly window: number;
    readonly size: number;
    readonly changes: number;
    readonly last: number;
    readonly values: ArrayLike<number>;
  };
  /** The law of contact (contact/solve/lawArrays.ts). */
  readonly contactLaw: SidesReference & { readonly contacts: number };
  /** A loop over links and their sides (contact/links/loops.ts); `capacity` 0: without Anderson acceleration. */
  readonly linkLoop: SidesReference & { readonly loop: number; readonly capacity: number } & {
    readonly window: number;
    readonly values: ArrayLike<number>;
  };
  /** A loop over links that reads no sides. */
  readonly linkLoopWithoutSides: { readonly loop: number; readonly values: ArrayLike<number> };
  /** Fills a shared buffer with zeros. */
  readonly clear: { readonly slot: number; readonly bytes: number };
  /** Finds contacts with colliders (contact/detect/colliderSearch.ts). `capacity`: number of contacts that each worker's buffer holds. */
  readonly search: { readonly search: number; readonly collider: number } & {
    readonly t: number;
    readonly dt: number;
    readonly allowed: number;
    readonly capacity: number;
  };
  /** Writes the results of the last search again, because the buffer was too small for them. */
  readonly deliver: { readonly capacity: number };
  /** Return to the event loop to receive a message. */
  readonly receive: Readonly<Record<never, never>>;
  /** Stop serving this bundle. */
  readonly leave: Readonly<Record<never, never>>;
}

export type RequestKind = keyof Requests;
export type Request<K extends RequestKind = RequestKind> = K extends RequestKind
  ? { readonly kind: K } & Requests[K]
  : never;

/** Largest number of `values`. */
export const VALUES = 6;

type FieldType<V> = V extends boolean ? 'flag' : V extends number ? 'number' : 'values';
type Fields<R> = { readonly [F in keyof R]-?: FieldType<R[F]> };

const time = { t: 'number', dt: 'number' } as const;
const sides = {
  layout: 'number',
  slot: 'number',
  total: 'number',
  first: 'number',
  axes: 'number',
  hasGoals: 'flag',
  isReleased: 'flag',
} as const;
const loop = { loop: 'number', capacity: 'number', window: 'number', values: 'values' } as const;

/** Fields of each kind in the order in which they are written. The compiler checks that none is missing and none is superfluous. */
const layouts: { readonly [K in RequestKind]: Fields<Requests[K]> } = {
  advance: { ...time, robust: 'flag', savesStart: 'flag', skips: 'flag' },
  refresh: { t: 'number', skips: 'flag' },
  hold: { savesStart: 'flag' },
  revert: { t: 'number' },
  guess: { ...sides, ...time },
  linearize: { ...sides, ...time, fresh: 'flag' },
  factor: sides,
  solve: { ...sides, selected: 'flag' },
  step: { ...sides, ...time, robust: 'flag', rough: 'flag' },
  readVelocity: sides,
  addDisplacements: { ...sides, dt: 'number' },
  stepSingleRods: {
    ...time,
    fresh: 'flag',
    rods: 'number',
    contacts: 'number',
    speed: 'number',
    tolerance: 'number',
    iterations: 'number',
    stealing: 'flag',
  },
  solverLoop: { ...sides, ...loop, size: 'number', changes: 'number', last: 'number' },
  contactLaw: { ...sides, contacts: 'number' },
  linkLoop: { ...sides, ...loop },
  linkLoopWithoutSides: { loop: 'number', values: 'values' },
  clear: { slot: 'number', bytes: 'number' },
  search: { search: 'number', collider: 'number', ...time, allowed: 'number', capacity: 'number' },
  deliver: { capacity: 'number' },
  receive: {},
  leave: {},
};

/** Kinds by number: the form in which a worker receives the kind. */
const kinds: readonly RequestKind[] = Object.keys(layouts) as RequestKind[];

interface Field {
  readonly name: string;
  readonly type: 'number' | 'flag' | 'values';
  readonly at: number;
}

/** Numbers of a request: its kind, then its fields. */
function placeFields(kind: RequestKind): { readonly fields: readonly Field[]; readonly size: number } {
  let size = 1;
  const fields = Object.entries(layouts[kind]).map(([name, type]): Field => {
    const at = size;
    size += type === 'values' ? VALUES : 1;
    return { name, type: type as Field['type'], at };
  });
  return { fields, size };
}

const places: readonly ReturnType<typeof placeFields>[] = kinds.map(placeFields);

/** Size of the largest request, in numbers. */
export const REQUEST_SIZE: number = Math.max(...places.map(({ size }) => size));

export function encodeRequest(numbers: Float64Array, request: Request): void {
  const kind = kinds.indexOf(request.kind);
  const { fields } = places[kind];
  numbers[0] = kind;
  const values = request as unknown as Readonly<Record<string, number | boolean | ArrayLike<number>>>;
  for (let k = 0; k < fields.length; k++) {
    const { name, type, at } = fields[k];
    const value = values[name];
    if (type === 'values') numbers.set(value as ArrayLike<number>, at);
    else numbers[at] = Number(value);
  }
}

/** `values` is a view of the memory, valid until the next request. */
export function decodeRequest(numbers: Float64Array): Request {
  const { fields } = places[numbers[0]];
  const request: Record<string, unknown> = { kind: kinds[numbers[0]] };
  for (let k = 0; k < fields.length; k++) {
    const { name, type, at } = fields[k];
    if (type === 'values') request[name] = numbers.subarray(at, at + VALUES);
    else request[name] = type === 'flag' ? numbers[at] === 1 : numbers[at];
  }
  return request as unknown as Request;
}

/** Requests whose work is divided evenly, regardless of which rods a thread owns. */
const evenly: ReadonlySet<RequestKind> = new Set<RequestKind>([
  'solverLoop',
  'contactLaw',
  'receive',
  'linkLoop',
  'linkLoopWithoutSides',
  'clear',
  'search',
  'deliver',
]);

/** True if the time that a thread needs for the request grows with the number of its rods; it then counts when ranges are balanced. */
export function growsWithRods(kind: RequestKind): boolean {
  return !evenly.has(kind);
}
