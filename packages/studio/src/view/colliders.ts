/** Things in the way, in neutral grey; kinds that are not known are left out. */
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import type { ColliderInfo } from '../protocol.ts';

type Triple = readonly [number, number, number];

const isTriple = (value: unknown): value is Triple =>
  Array.isArray(value) && value.length === 3 && value.every((x) => typeof x === 'number');

export function createColliders(colliders: readonly ColliderInfo[]): Group {
  const group = new Group();
  for (const collider of colliders) {
    const geometry = geometryOf(collider);
    if (!geometry) continue;
    const hollow = collider.hollow === true;
    const material = new MeshStandardMaterial({
      color: '#9aa0a8',
      roughness: 0.8,
      side: DoubleSide,
      transparent: hollow,
      opacity: hollow ? 0.18 : 1,
      depthWrite: !hollow,
    });
    const mesh = new Mesh(geometry, material);
    if (isTriple(collider.position)) mesh.position.set(...collider.position);
    if (isTriple(collider.rotation)) {
      const turn = new Vector3(...collider.rotation);
      const angle = turn.length();
      if (angle > 0) mesh.quaternion.copy(new Quaternion().setFromAxisAngle(turn.divideScalar(angle), angle));
    }
    group.add(mesh);
  }
  return group;
}

function geometryOf(collider: ColliderInfo): BufferGeometry | undefined {
  const { type, radius, size, from, to } = collider;
  if (type === 'sphere' && typeof radius === 'number') return new SphereGeometry(radius, 48, 32);
  if (type === 'box' && isTriple(size)) return new BoxGeometry(...size);
  if (type === 'capsule' && typeof radius === 'number' && isTriple(from) && isTriple(to)) {
    const a = new Vector3(...from);
    const b = new Vector3(...to);
    const along = b.clone().sub(a);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.clone().normalize());
    const middle = a.add(b).multiplyScalar(0.5);
    return new CapsuleGeometry(radius, along.length(), 12, 32)
      .applyQuaternion(turn)
      .translate(middle.x, middle.y, middle.z);
  }
  const { vertices, faces } = collider;
  if (type === 'mesh' && Array.isArray(vertices) && Array.isArray(faces)) {
    const geometry = new BufferGeometry();
    const index: number[] = [];
    for (const face of faces as number[][])
      for (let k = 2; k < face.length; k++) index.push(face[0], face[k - 1], face[k]);
    geometry.setAttribute('position', new BufferAttribute(new Float32Array((vertices as number[][]).flat()), 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    return geometry;
  }
  return undefined;
}
