/** The segment that every instance is, and the records bound to it. */
import {
  BufferAttribute,
  DynamicDrawUsage,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
} from 'three';
import { DYNAMIC, FIXED, type Records } from './records.ts';

export interface SegmentGeometry {
  readonly geometry: InstancedBufferGeometry;
  /** To be called after the records were written. */
  upload(): void;
}

/** Binds `records` to a base geometry, one instance a segment. */
export function bindRecords(geometry: InstancedBufferGeometry, records: Records): SegmentGeometry {
  const instances = Math.max(0, records.count - 1);
  // a view of all but the last record, and one of all but the first: the second buffer shares the array
  const dynamicA = new InstancedInterleavedBuffer(records.dynamic, DYNAMIC);
  const dynamicB = new InstancedInterleavedBuffer(records.dynamic.subarray(DYNAMIC), DYNAMIC);
  const fixedA = new InstancedInterleavedBuffer(records.fixed, FIXED);
  const fixedB = new InstancedInterleavedBuffer(records.fixed.subarray(FIXED), FIXED);
  dynamicA.setUsage(DynamicDrawUsage);
  dynamicB.setUsage(DynamicDrawUsage);
  const bind = (name: string, buffer: InstancedInterleavedBuffer, offset: number): void => {
    geometry.setAttribute(name, new InterleavedBufferAttribute(buffer, 4, offset));
  };
  bind('nodeA', dynamicA, 0);
  bind('tangentA', dynamicA, 4);
  bind('directorA', dynamicA, 8);
  bind('nodeB', dynamicB, 0);
  bind('tangentB', dynamicB, 4);
  bind('directorB', dynamicB, 8);
  bind('sectionA', fixedA, 0);
  bind('endsA', fixedA, 4);
  bind('sectionB', fixedB, 0);
  geometry.instanceCount = instances;
  return {
    geometry,
    upload() {
      dynamicA.needsUpdate = true;
      dynamicB.needsUpdate = true;
    },
  };
}

/**
 * A tube around one segment: `position` is (angle as cosine and sine, place along 0…1), `cap` is the angle towards the
 * pole of the round cap, negative at the near end, positive at the far one, 0 on the side.
 */
export function createTubeGeometry(sides: number, pieces: number, capRings: number): InstancedBufferGeometry {
  const rings: { along: number; cap: number }[] = [];
  for (let k = capRings; k > 0; k--) rings.push({ along: 0, cap: -(k / capRings) * (Math.PI / 2) });
  for (let k = 0; k <= pieces; k++) rings.push({ along: k / pieces, cap: 0 });
  for (let k = 1; k <= capRings; k++) rings.push({ along: 1, cap: (k / capRings) * (Math.PI / 2) });
  const position = new Float32Array(3 * rings.length * (sides + 1));
  const cap = new Float32Array(rings.length * (sides + 1));
  const index: number[] = [];
  rings.forEach((ring, r) => {
    for (let s = 0; s <= sides; s++) {
      const angle = (2 * Math.PI * s) / sides;
      const at = r * (sides + 1) + s;
      position.set([Math.cos(angle), Math.sin(angle), ring.along], 3 * at);
      cap[at] = ring.cap;
      if (r === 0 || s === 0) continue;
      const below = at - sides - 1;
      index.push(below - 1, below, at, below - 1, at, at - 1);
    }
  });
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setAttribute('cap', new BufferAttribute(cap, 1));
  geometry.setIndex(index);
  return geometry;
}

/** A ribbon along one segment: `position` is (side −1 or 1, place along 0…1, 0). */
export function createRibbonGeometry(pieces: number): InstancedBufferGeometry {
  const position = new Float32Array(6 * (pieces + 1));
  const index: number[] = [];
  for (let k = 0; k <= pieces; k++) {
    position.set([-1, k / pieces, 0, 1, k / pieces, 0], 6 * k);
    if (k > 0) index.push(2 * k - 2, 2 * k - 1, 2 * k + 1, 2 * k - 2, 2 * k + 1, 2 * k);
  }
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(position, 3));
  geometry.setIndex(index);
  return geometry;
}
