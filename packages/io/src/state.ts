/**
 * Saved states: everything that a world needs to continue bit for bit.
 *
 * A file is a header (see container.ts; letters TSTA) and one section of doubles, little endian: time, step count,
 * q, v and memory of each bundle, the forces of contacts, the state of the rigid-body engine (padded to 8 bytes),
 * then 4 zero bytes and the CRC-32 of the section. The header holds the lengths of the arrays, the
 * version of the program and the hash of the scene.
 *
 * The hash covers the fields on which the state depends: rods, materials, sections, pins, loads, fields, gravity and solver. Title,
 * duration, step, statics, modes and output may change between saving and continuing.
 */
import { createHash, type Scene, type WorldState } from '@tendril-sim/core';
import { align8, canonicalJson, getF64, isSealed, putF64, sealSection } from './bytes.ts';
import { binaryError, decodeHead, encodeHead, type Format } from './container.ts';
import { InputError } from './errors.ts';

/** Version of the state format. */
export const stateVersion: number = 1;
const format: Format = { noun: 'state', letters: 'TSTA', version: stateVersion };

interface StateHeader {
  readonly version: string;
  readonly sceneHash: string;
  readonly bundles: readonly { readonly q: number; readonly v: number; readonly memory: number }[];
  /** Numbers of the contact state; absent in scenes without it. */
  readonly contact?: number;
  /** Bytes of what an engine of bodies remembers, if there is one. */
  readonly engine?: number;
}

/** A state and the hash of its scene. */
export interface SavedState {
  /** The state, for `World.restore`. */
  readonly state: WorldState;
  /** Version of the program that saved. */
  readonly version: string;
  /** Hash of the scene that it belongs to. */
  readonly sceneHash: string;
}

/** Hash of the part of a scene that a state depends on, 16 hexadecimal digits. */
export function sceneHash(scene: Scene): string {
  const { gravity, materials, sections, rods, pins, bodies, welds, links, engine, loads, fields, colliders, contact } =
    scene;
  const { solver } = scene;
  const hash = createHash();
  hash.add(
    new TextEncoder().encode(
      canonicalJson({
        gravity,
        materials,
        sections,
        rods,
        pins,
        bodies,
        welds,
        links,
        engine,
        loads,
        fields,
        colliders,
        contact,
        solver,
      }),
    ),
  );
  return hash.digits();
}

/** Writes the state of a world as bytes. */
export function encodeState(state: WorldState, about: { readonly scene: Scene; readonly version: string }): Uint8Array {
  const header: StateHeader = {
    version: about.version,
    sceneHash: sceneHash(about.scene),
    bundles: state.bundles.map(({ q, v, memory }) => ({ q: q.length, v: v.length, memory: memory.length })),
    ...(state.contact && { contact: state.contact.length }),
    ...(state.engine && { engine: state.engine.length }),
  };
  const head = encodeHead(format, header);
  const out = new Uint8Array(head.length + bodySize(header));
  out.set(head);
  const body = out.subarray(head.length);
  let offset = putF64(body, 0, [state.time, state.stepCount]);
  for (const { q, v, memory } of state.bundles) {
    offset = putF64(body, putF64(body, putF64(body, offset, q), v), memory);
  }
  if (state.contact) offset = putF64(body, offset, state.contact);
  if (state.engine) body.set(state.engine, offset);
  sealSection(body);
  return out;
}

/** Decodes a state. With `scene`, rejects a state of another scene. */
export function decodeState(bytes: Uint8Array, source: string, scene?: Scene): SavedState {
  const head = decodeHead(format, bytes, source);
  const header = checkHeader(head.header, source);
  const size = bodySize(header);
  const body = bytes.subarray(head.size);
  if (body.length < size) {
    throw binaryError(
      source,
      bytes.length,
      `the state is truncated: ${head.size + size} bytes expected, ${bytes.length} found; copy the file again or save anew`,
    );
  }
  if (body.length > size) {
    throw binaryError(
      source,
      head.size + size,
      `${body.length - size} bytes follow the end of the state; copy the file again`,
    );
  }
  if (!isSealed(body)) {
    throw binaryError(
      source,
      head.size,
      'the state does not match its checksum: it is corrupted; copy the file again or save anew',
    );
  }
  if (scene && sceneHash(scene) !== header.sceneHash) {
    throw new InputError(
      source,
      'the state was saved from another scene, or from this one before its rods, pins, loads, fields or solver were changed; use the scene it was saved from',
    );
  }
  const [time, stepCount] = getF64(body, 0, 2);
  let offset = 16;
  const take = (count: number): Float64Array => {
    const values = getF64(body, offset, count);
    offset += 8 * count;
    return values;
  };
  // properties are read in the order they are written here
  const bundles = header.bundles.map(({ q, v, memory }) => ({ q: take(q), v: take(v), memory: take(memory) }));
  const contact = header.contact === undefined ? undefined : take(header.contact);
  const engine = header.engine === undefined ? undefined : body.slice(offset, offset + header.engine);
  return {
    state: { time, stepCount, bundles, ...(contact && { contact }), ...(engine && { engine }) },
    version: header.version,
    sceneHash: header.sceneHash,
  };
}

function bodySize({ bundles, contact = 0, engine = 0 }: StateHeader): number {
  return bundles.reduce((sum, { q, v, memory }) => sum + 8 * (q + v + memory), 16) + 8 * contact + align8(engine) + 8;
}

function checkHeader(value: unknown, source: string): StateHeader {
  const header = value as Partial<StateHeader> | null;
  const isCount = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 0;
  const sound =
    typeof header === 'object' &&
    header !== null &&
    typeof header.version === 'string' &&
    typeof header.sceneHash === 'string' &&
    (header.contact === undefined || isCount(header.contact)) &&
    (header.engine === undefined || isCount(header.engine)) &&
    Array.isArray(header.bundles) &&
    header.bundles.every(
      (item: StateHeader['bundles'][number]) => isCount(item?.q) && isCount(item.v) && isCount(item.memory),
    );
  if (!sound) throw binaryError(source, 16, 'the header of the state lacks fields it must have; save anew');
  return header as StateHeader;
}
