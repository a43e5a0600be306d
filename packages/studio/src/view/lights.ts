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
  /** Passes directions and brightness to the shaders of hair. */
  lightHair(hair: HairObject): void;
  dispose(): void;
}

const mapSize = { card: 2048, processor: 1024 } as const;

interface LightState {
  readonly scene: Scene;
  readonly key: DirectionalLight;
  readonly rim: DirectionalLight;
  readonly sky: DirectionalLight;
  /** Texels along a side of the shadow maps. */
  readonly size: number;
  /** Directions towards key and rim, and upwards, for this view of the scene. */
  readonly direction: Vector3;
  readonly away: Vector3;
  readonly above: Vector3;
  /** Directions of the current picture. */
  readonly towards: { readonly key: Vector3; readonly sky: Vector3 };
  isDark: boolean;
  hasSky: boolean;
}

function createState(scene: Scene, size: number): LightState {
  const direction = new Vector3(0, -0.4, 1).normalize();
  const above = new Vector3(0, 0, 1);
  return {
    scene,
    key: new DirectionalLight('#fff1dc', 2.2),
    rim: new DirectionalLight('#c5dcff', 0.7),
    sky: new DirectionalLight('#f3f6ff', 0.8),
    size,
    direction,
    away: new Vector3(0, 1, 0.2).normalize(),
    above,
    towards: { key: direction.clone(), sky: above.clone() },
    isDark: false,
    hasSky: true,
  };
}

export function addLights(scene: Scene, isSoftware: boolean): Lights {
  const state = createState(scene, isSoftware ? mapSize.processor : mapSize.card);
  const { key, rim, sky, size, direction, away } = state;
  for (const light of [key, sky]) {
    light.castShadow = true;
    light.shadow.mapSize.set(size, size);
    light.shadow.radius = 3;
  }
  scene.add(key, key.target, rim, rim.target, sky, sky.target);
  const environment = createEnvironment();
  scene.environment = environment;
  return {
    set(dark) {
      state.isDark = dark;
      setBrightness(state);
    },
    setShadows(on) {
      key.castShadow = on;
      state.hasSky = on;
      sky.visible = on;
      setBrightness(state);
    },
    stir: (pass) => stir(state, pass),
    place: (seen, from, up) => place(state, seen, from, up),
    cover: (seen, thickness) => cover(state, seen, thickness),
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

function setBrightness({ scene, key, rim, sky, isDark, hasSky }: LightState): void {
  key.intensity = isDark ? 1.9 : 1.55;
  rim.intensity = isDark ? 1.3 : 0.5;
  sky.intensity = isDark ? 0.55 : 0.95;
  // with the sky as a light of its own, less comes from all around
  scene.environmentIntensity = (isDark ? 0.3 : 0.5) * (hasSky ? 0.72 : 1);
}

/** Directions of key and sky in picture number `pass`; those of the first picture are the plain ones. */
function stir({ direction, above: z, towards }: LightState, pass: number): void {
  const [x, y] = [new Vector3(), new Vector3()];
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
    towards.sky.copy(z);
    return;
  }
  // uniform over the upper half
  const [turn, height] = spread(pass, 'sky');
  const up = 0.12 + 0.88 * (height + 0.5);
  const across = Math.sqrt(1 - up * up);
  towards.sky
    .copy(z)
    .multiplyScalar(up)
    .addScaledVector(x, across * Math.cos(2 * Math.PI * turn))
    .addScaledVector(y, across * Math.sin(2 * Math.PI * turn));
}

function place(state: LightState, seen: Box3, from: Vector3, up: Vector3): void {
  const { scene, direction, away, above } = state;
  const right = new Vector3().crossVectors(up, from).normalize();
  direction.copy(from).multiplyScalar(0.55).addScaledVector(up, 1).addScaledVector(right, -0.6).normalize();
  away.copy(from).multiplyScalar(-1).addScaledVector(up, 0.5).addScaledVector(right, 0.8).normalize();
  above.copy(up);
  stir(state, 0);
  const front = new Vector3().crossVectors(right, up);
  scene.environmentRotation.setFromRotationMatrix(new Matrix4().makeBasis(front, right, up));
  cover(state, seen, 0);
}

function cover({ key, sky, rim, size, away, towards }: LightState, seen: Box3, thickness: number): void {
  if (seen.isEmpty()) return;
  const center = seen.getCenter(new Vector3());
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
}
