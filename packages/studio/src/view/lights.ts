/**
 * Light: an environment of soft boxes, one key light, a rim from behind, and a light of the sky. Key and sky cast shadows.
 *
 * The key stands over the viewer's shoulder when a scene is framed and stays there as the camera turns, so that shadows belong to the
 * scene. Its shadow map covers the rods and what is near them.
 */
import type { HairObject } from '@tendril-sim/bridge/three';
import { type Box3, DirectionalLight, Matrix4, type Scene, Vector3 } from 'three';
import { spread } from './accumulate.ts';
import { createEnvironment } from './environment.ts';

export interface Lights {
  set(dark: boolean): void;
  /** The key over the shoulder of one who looks at `seen` along `from`, a unit vector towards the camera. */
  place(seen: Box3, from: Vector3, up: Vector3): void;
  /** Whether lights cast shadows: a processor draws them in pictures that stand still only. */
  setShadows(on: boolean): void;
  /** Of a still picture, number `pass` of those whose mean is shown: lights come from slightly elsewhere each time. */
  stir(pass: number): void;
  /** The key covers what is seen now; the direction stays. `thickness`: radius of a rod as it is drawn [m]. */
  cover(seen: Box3, thickness: number): void;
  /** Hair has shaders of its own, which are told where the lights are. */
  lightHair(hair: HairObject): void;
  dispose(): void;
}

const mapSize = { card: 2048, processor: 1024 } as const;

export function addLights(scene: Scene, isSoftware: boolean): Lights {
  const key = new DirectionalLight('#fff1dc', 2.2);
  const rim = new DirectionalLight('#c5dcff', 0.7);
  const sky = new DirectionalLight('#f3f6ff', 0.8);
  const size = isSoftware ? mapSize.processor : mapSize.card;
  for (const light of [key, sky]) {
    light.castShadow = true;
    light.shadow.mapSize.set(size, size);
    light.shadow.radius = 3;
  }
  scene.add(key, key.target, rim, rim.target, sky, sky.target);
  const environment = createEnvironment();
  scene.environment = environment;
  const direction = new Vector3(0, -0.4, 1).normalize();
  const away = new Vector3(0, 1, 0.2).normalize();
  const above = new Vector3(0, 0, 1);
  const center = new Vector3();
  /** Directions of this picture. */
  const towards = { key: direction.clone(), sky: above.clone() };
  let isDark = false;
  let hasSky = true;
  const dim = (): void => {
    key.intensity = isDark ? 1.9 : 1.55;
    rim.intensity = isDark ? 1.3 : 0.5;
    sky.intensity = isDark ? 0.55 : 0.95;
    // with the sky as a light of its own, less comes from all around
    scene.environmentIntensity = (isDark ? 0.3 : 0.5) * (hasSky ? 0.72 : 1);
  };
  return {
    set(dark) {
      isDark = dark;
      dim();
    },
    setShadows(on) {
      key.castShadow = on;
      hasSky = on;
      sky.visible = on;
      dim();
    },
    stir(pass) {
      const [x, y, z] = [new Vector3(), new Vector3(), above];
      x.set(Math.abs(z.x) < 0.9 ? 1 : 0, Math.abs(z.x) < 0.9 ? 0 : 1, 0);
      x.addScaledVector(z, -x.dot(z)).normalize();
      y.crossVectors(z, x);
      const [a, b] = pass === 0 ? [0, 0] : spread(pass, 'key');
      towards.key
        .copy(direction)
        .addScaledVector(x, 0.3 * a)
        .addScaledVector(y, 0.3 * b)
        .normalize();
      if (pass === 0) {
        towards.sky.copy(above);
        return;
      }
      // as much from every part of the upper half
      const [turn, height] = spread(pass, 'sky');
      const up = 0.12 + 0.88 * (height + 0.5);
      const across = Math.sqrt(1 - up * up);
      towards.sky
        .copy(z)
        .multiplyScalar(up)
        .addScaledVector(x, across * Math.cos(2 * Math.PI * turn))
        .addScaledVector(y, across * Math.sin(2 * Math.PI * turn));
    },
    place(seen, from, up) {
      const right = new Vector3().crossVectors(up, from).normalize();
      direction.copy(from).multiplyScalar(0.55).addScaledVector(up, 1).addScaledVector(right, -0.6).normalize();
      away.copy(from).multiplyScalar(-1).addScaledVector(up, 0.5).addScaledVector(right, 0.8).normalize();
      above.copy(up);
      this.stir(0);
      const front = new Vector3().crossVectors(right, up);
      scene.environmentRotation.setFromRotationMatrix(new Matrix4().makeBasis(front, right, up));
      this.cover(seen, 0);
    },
    cover(seen, thickness) {
      if (seen.isEmpty()) return;
      seen.getCenter(center);
      const radius = 0.52 * seen.getSize(new Vector3()).length() + 2 * thickness;
      for (const [light, from] of [[key, towards.key] as const, [sky, towards.sky] as const]) {
        light.target.position.copy(center);
        light.position.copy(center).addScaledVector(from, 3 * radius);
        const { camera } = light.shadow;
        Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius });
        camera.near = 1.6 * radius;
        camera.far = 4.6 * radius;
        camera.updateProjectionMatrix();
        // off the surface by a texel or a part of the rod, whichever is more
        light.shadow.normalBias = Math.max((3 * radius) / size, 0.12 * thickness);
        light.shadow.bias = -0.0004;
        light.target.updateMatrixWorld();
      }
      rim.target.position.copy(center);
      rim.position.copy(center).addScaledVector(away, 3 * radius);
    },
    lightHair(hair) {
      hair.setLight(direction.x, direction.y, direction.z);
      hair.setRim(away.x, away.y, away.z);
      hair.setBrightness(2.6 * key.intensity, 2 * rim.intensity, 1.1 * scene.environmentIntensity);
    },
    dispose() {
      environment.dispose();
      key.shadow.map?.dispose();
      sky.shadow.map?.dispose();
    },
  };
}
