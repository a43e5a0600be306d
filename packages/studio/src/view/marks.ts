/** What a hand shows in the view: the place it is over, and the rubber band to what it pulls. */
import {
  BufferAttribute,
  BufferGeometry,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
} from 'three';

export function createHover(): Mesh {
  const mesh = new Mesh(
    new SphereGeometry(1, 24, 16),
    new MeshBasicMaterial({ color: '#ffffff', transparent: true, opacity: 0.55, depthTest: false }),
  );
  mesh.visible = false;
  mesh.renderOrder = 5;
  return mesh;
}

/** The rubber band between the mouse and the rod. */
export function createPull(): {
  line: Line;
  ball: Mesh;
  set(from: ArrayLike<number> | undefined, to: ArrayLike<number> | undefined, size: number): void;
} {
  const position = new BufferAttribute(new Float32Array(6), 3);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', position);
  const line = new Line(geometry, new LineBasicMaterial({ color: '#e5484d', depthTest: false, transparent: true }));
  const ball = new Mesh(
    new SphereGeometry(1, 20, 14),
    new MeshBasicMaterial({ color: '#e5484d', depthTest: false, transparent: true }),
  );
  line.frustumCulled = false;
  line.visible = false;
  ball.visible = false;
  line.renderOrder = 6;
  ball.renderOrder = 6;
  return {
    line,
    ball,
    set(from, to, size) {
      const shown = from !== undefined && to !== undefined;
      line.visible = shown;
      ball.visible = shown;
      if (!from || !to) return;
      for (let k = 0; k < 3; k++) {
        position.array[k] = from[k];
        position.array[3 + k] = to[k];
      }
      position.needsUpdate = true;
      ball.position.set(to[0], to[1], to[2]);
      ball.scale.setScalar(size);
    },
  };
}
