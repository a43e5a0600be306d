/**
 * TressFX 4's .tfx: strands of equal length in single precision. Layout, little endian, by its public sources:
 *
 *   0    4  f32 version, 4
 *   4    4  u32 number of strands
 *   8    4  u32 vertices per strand
 *  12    4  u32 offset of the positions: 4 f32 per vertex, x y z and an inverse mass
 *  16   16  u32 offsets of other arrays: UV of strands, UV of vertices, thickness, colour; 0 if absent
 *  32  128  reserved
 *
 * The file specifies neither unit nor axes. Inverse masses are ignored: the scene specifies whether roots are held.
 */
import { viewOf } from '../bytes.ts';
import { binaryError } from '../container.ts';
import { type Curves, pointLimit } from './curves.ts';

const headSize = 160;

export function readTfx(bytes: Uint8Array, source: string): Curves {
  if (bytes.length < headSize)
    throw binaryError(
      source,
      bytes.length,
      `a .tfx file begins with ${headSize} bytes of header, and this one ends before`,
    );
  const view = viewOf(bytes);
  const version = view.getFloat32(0, true);
  if (!(version >= 4 && version < 5)) {
    throw binaryError(
      source,
      0,
      `this is not a .tfx file of TressFX 4: its version reads ${version}; export it anew with TressFX 4`,
    );
  }
  const [strands, each, offset] = [4, 8, 12].map((at) => view.getUint32(at, true));
  const points = strands * each;
  if (each < 2) throw binaryError(source, 8, `strands have ${each} vertices; expected at least 2`);
  if (strands === 0) throw binaryError(source, 4, 'the file holds no strands');
  if (points > pointLimit)
    throw binaryError(source, 4, `the file claims ${points} points; ${pointLimit} are read at most`);
  if (offset < headSize || offset + 16 * points > bytes.length) {
    throw binaryError(
      source,
      12,
      `${points} positions from byte ${offset} on do not fit into the ${bytes.length} bytes of the file: it is truncated or damaged`,
    );
  }
  const position = new Float64Array(3 * points);
  for (let i = 0; i < points; i++) {
    for (let k = 0; k < 3; k++) {
      const at = offset + 16 * i + 4 * k;
      const value = view.getFloat32(at, true);
      if (!Number.isFinite(value)) throw binaryError(source, at, `coordinate ${k} of vertex ${i} is not a number`);
      position[3 * i + k] = value;
    }
  }
  return {
    position,
    counts: new Uint32Array(strands).fill(each),
    closed: new Uint8Array(strands),
    unit: 1,
    warnings: [],
  };
}
