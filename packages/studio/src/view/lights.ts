/**
 * Light: an environment of soft boxes, one key light that casts shadows, a rim from behind.
 *
 * The key stands over the viewer's shoulder when a scene is framed and stays there as the camera turns, so that shadows belong to the
 * scene. Its shadow map covers the rods and what is near them.
 */
import { type Box3, DirectionalLight, Matrix4, type Scene, Vector3 } from 'three';
import { createEnvironment } from './environment.ts';

export interface Lights {
  set(dark: boolean): void;
  /** The key over the shoulder of one who looks at `seen` along `from`, a unit vector towards the camera. */
  place(seen: Box3, from: Vector3, up: Vector3): void;
  /** Whether the key casts shadows: a processor draws them in pictures that stand still only. */
  setShadows(on: boolean): void;
  /** The key covers what is seen now; the direction stays. `thickness`: radius of a rod as it is drawn [m]. */
  cover(seen: Box3, thickness: number): void;
  dispose(): void;
}

const mapSize = { card: 2048, processor: 1024 } as const;

export function addLights(scene: Scene, isSoftware: boolean): Lights {
  const key = new DirectionalLight('#fff1dc', 2.2);
  const rim = new DirectionalLight('#c5dcff', 0.7);
  key.castShadow = true;
  const size = isSoftware ? mapSize.processor : mapSize.card;
  key.shadow.mapSize.set(size, size);
  key.shadow.radius = 3;
  scene.add(key, key.target, rim, rim.target);
  const environment = createEnvironment();
  scene.environment = environment;
  const direction = new Vector3(0, -0.4, 1).normalize();
  const away = new Vector3(0, 1, 0.2).normalize();
  const center = new Vector3();
  return {
    set(dark) {
      key.intensity = dark ? 1.9 : 1.55;
      rim.intensity = dark ? 1.3 : 0.5;
      scene.environmentIntensity = dark ? 0.3 : 0.5;
    },
    setShadows(on) {
      key.castShadow = on;
    },
    place(seen, from, up) {
      const right = new Vector3().crossVectors(up, from).normalize();
      direction.copy(from).multiplyScalar(0.55).addScaledVector(up, 1).addScaledVector(right, -0.6).normalize();
      away.copy(from).multiplyScalar(-1).addScaledVector(up, 0.5).addScaledVector(right, 0.8).normalize();
      const front = new Vector3().crossVectors(right, up);
      scene.environmentRotation.setFromRotationMatrix(new Matrix4().makeBasis(front, right, up));
      this.cover(seen, 0);
    },
    cover(seen, thickness) {
      if (seen.isEmpty()) return;
      seen.getCenter(center);
      const radius = 0.52 * seen.getSize(new Vector3()).length() + 2 * thickness;
      key.target.position.copy(center);
      key.position.copy(center).addScaledVector(direction, 3 * radius);
      rim.target.position.copy(center);
      rim.position.copy(center).addScaledVector(away, 3 * radius);
      const { camera } = key.shadow;
      Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius });
      camera.near = 1.6 * radius;
      camera.far = 4.6 * radius;
      camera.updateProjectionMatrix();
      // off the surface by a texel or a part of the rod, whichever is more
      key.shadow.normalBias = Math.max((3 * radius) / size, 0.12 * thickness);
      key.shadow.bias = -0.0004;
      key.target.updateMatrixWorld();
    },
    dispose() {
      environment.dispose();
      key.shadow.map?.dispose();
    },
  };
}
