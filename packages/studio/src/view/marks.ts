/** What a hand shows in the view: the place it is over, and the rubber band to what it pulls. */
import { BufferGeometry, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';

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
export interface PullMark {
  readonly line: Line;
  readonly ball: Mesh;
  /** From the rod to the mouse [m]; no `from`: the rod is not in this picture. */
  place(from: Vector3 | undefined, to: Vector3, size: number): void;
  hide(): void;
}

export function createPull(): PullMark {
  // stretched to where it is needed: a line has no sides that a scale could bend
  const geometry = new BufferGeometry().setFromPoints([new Vector3(0, 0, 0), new Vector3(1, 1, 1)]);
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
    place(from, to, size) {
      line.visible = from !== undefined;
      ball.visible = true;
      if (from) {
        line.position.copy(from);
        line.scale.copy(to).sub(from);
      }
      ball.position.copy(to);
      ball.scale.setScalar(size);
    },
    hide() {
      line.visible = false;
      ball.visible = false;
    },
  };
}
