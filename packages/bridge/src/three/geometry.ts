/**
 * Segments as plain triangles: the piece that is drawn is repeated for every segment, and each vertex knows its segment.
 *
 * Tried: instances that read their two records as attributes. A graphics card draws both alike, but a processor
 * (SwiftShader, as in headless browsers) pays for every instance: 30,000 of them took a second a picture.
 */
import { cos, sin } from '@tendril-sim/core/math';
import { BufferAttribute, BufferGeometry, DataTexture, FloatType, NearestFilter, RGBAFormat } from 'three';
import { dynamicWidth, FIXED, fixedWidth, type Records } from './records.ts';

/** Uniforms through which a shader reads records. */
export interface RecordUniforms {
  /** Records that change with every update. */
  readonly nodeRecords: { readonly value: DataTexture };
  /** Records that do not change. */
  readonly fixedRecords: { readonly value: DataTexture };
}

export function createRecordUniforms(records: Records): RecordUniforms {
  const texture = (data: Float32Array, width: number): DataTexture => {
    const out = new DataTexture(data, width, data.length / 4 / width, RGBAFormat, FloatType);
    out.minFilter = NearestFilter;
    out.magFilter = NearestFilter;
    out.needsUpdate = true;
    return out;
  };
  return {
    nodeRecords: { value: texture(records.dynamic, dynamicWidth) },
    fixedRecords: { value: texture(records.fixed, fixedWidth) },
  };
}

/** What is repeated: vertices (three numbers each), and one number more where it is asked for. */
export interface Piece {
  /** Vertices, 3 numbers each. */
  readonly position: readonly number[];
  /** One more number per vertex, if the shader needs it. */
  readonly cap?: readonly number[];
  /** Vertex indices, 3 per triangle. */
  readonly index: readonly number[];
}

/** Every `stride`-th segment of the records, drawn as `piece`; `order` is that of the rods. */
export function repeatPiece(piece: Piece, records: Records, stride = 1, order?: readonly number[]): BufferGeometry {
  const segments: number[] = [];
  for (let k = 0; k < records.rods.length; k++) {
    const r = order?.[k] ?? k;
    for (let s = records.start[r]; s < records.start[r + 1]; s++) {
      if (records.fixed[FIXED * s + 3] > 0.5 && s % stride === 0) segments.push(s);
    }
  }
  const vertices = piece.position.length / 3;
  const position = new Float32Array(piece.position.length * segments.length);
  const segment = new Float32Array(vertices * segments.length);
  const cap = piece.cap && new Float32Array(vertices * segments.length);
  const index = new Uint32Array(piece.index.length * segments.length);
  segments.forEach((s, k) => {
    position.set(piece.position, k * piece.position.length);
    segment.fill(s, k * vertices, (k + 1) * vertices);
    if (piece.cap) cap?.set(piece.cap, k * vertices);
    for (let i = 0; i < piece.index.length; i++) index[k * piece.index.length + i] = piece.index[i] + k * vertices;
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('segment', new BufferAttribute(segment, 1));
  if (cap) geometry.setAttribute('cap', new BufferAttribute(cap, 1));
  // the shader finds the normal; without the attribute three.js would shade the faces flat
  geometry.setAttribute('normal', new BufferAttribute(position, 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}

/** A tube: `position` is (angle as cosine and sine, place along 0…1). */
export function tubePiece(sides: number, pieces: number): Piece {
  return ringPiece(
    sides,
    Array.from({ length: pieces + 1 }, (_, k) => ({ along: k / pieces, cap: 0 })),
    -1,
  );
}

/**
 * Round caps at both ends, and no tube between. `cap` is the angle towards the pole, negative at the near end; the rings of
 * an end that has none fall together.
 */
export function capPiece(sides: number, rings: number): Piece {
  const list: { along: number; cap: number }[] = [];
  for (let k = rings; k >= 0; k--) list.push({ along: 0, cap: -(k / rings) * (Math.PI / 2) });
  for (let k = 0; k <= rings; k++) list.push({ along: 1, cap: (k / rings) * (Math.PI / 2) });
  return ringPiece(sides, list, rings + 1);
}

/** `gap`: no faces between the ring of this number and the one before it. */
function ringPiece(sides: number, rings: readonly { along: number; cap: number }[], gap: number): Piece {
  const position: number[] = [];
  const cap: number[] = [];
  const index: number[] = [];
  rings.forEach((ring, r) => {
    for (let s = 0; s <= sides; s++) {
      const angle = (2 * Math.PI * s) / sides;
      const at = r * (sides + 1) + s;
      position.push(cos(angle), sin(angle), ring.along);
      cap.push(ring.cap);
      if (r === 0 || s === 0 || r === gap) continue;
      const below = at - sides - 1;
      index.push(below - 1, below, at, below - 1, at, at - 1);
    }
  });
  return { position, cap, index };
}

/** A ribbon: `position` is (side −1 or 1, place along 0…1, 0). */
export function ribbonPiece(pieces: number): Piece {
  const position: number[] = [];
  const index: number[] = [];
  for (let k = 0; k <= pieces; k++) {
    position.push(-1, k / pieces, 0, 1, k / pieces, 0);
    if (k > 0) index.push(2 * k - 2, 2 * k - 1, 2 * k + 1, 2 * k - 2, 2 * k + 1, 2 * k);
  }
  return { position, index };
}
