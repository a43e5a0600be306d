/**
 * Light: an environment of soft boxes, one key light that casts shadows, a rim from behind.
 *
 * The key stands over the viewer's shoulder when a scene is framed and stays there as the camera turns, so that shadows belong to the
 * scene. Its shadow map covers the rods and what is near them.
 */
import {
  type Box3,
  DataTexture,
  DirectionalLight,
  EquirectangularReflectionMapping,
  FloatType,
  LinearFilter,
  LinearSRGBColorSpace,
  PMREMGenerator,
  RGBAFormat,
  type Scene,
  Vector3,
  type WebGLRenderer,
} from 'three';

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

export function addLights(scene: Scene, renderer: WebGLRenderer, isSoftware: boolean): Lights {
  const key = new DirectionalLight('#fff1dc', 2.2);
  const rim = new DirectionalLight('#c5dcff', 0.7);
  key.castShadow = true;
  const size = isSoftware ? mapSize.processor : mapSize.card;
  key.shadow.mapSize.set(size, size);
  key.shadow.radius = 3;
  scene.add(key, key.target, rim, rim.target);
  const generator = new PMREMGenerator(renderer);
  const picture = paintStudio();
  const target = generator.fromEquirectangular(picture);
  scene.environment = target.texture;
  picture.dispose();
  generator.dispose();
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
      scene.environmentRotation.set(0, 0, Math.atan2(from.y, from.x));
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
      target.dispose();
      key.shadow.map?.dispose();
    },
  };
}

const [width, height] = [64, 32];

/** A bright box above, a long strip at one side and a weaker one at the other, in a room that is darker below. */
function paintStudio(): DataTexture {
  const data = new Float32Array(4 * width * height);
  const soft = (x: number, from: number, to: number, blur: number): number => {
    const step = (u: number): number => {
      const t = Math.min(1, Math.max(0, u));
      return t * t * (3 - 2 * t);
    };
    return step((x - from) / blur) * step((to - x) / blur);
  };
  for (let j = 0; j < height; j++) {
    for (let i = 0; i < width; i++) {
      const u = i / width;
      const v = (j + 0.5) / height;
      const room = 0.28 + 0.75 * v;
      const above = 5 * soft(v, 0.8, 1.1, 0.08);
      const strip = 6 * soft(u, 0.08, 0.2, 0.04) * soft(v, 0.45, 0.85, 0.08);
      const fill = 2.2 * soft(u, 0.6, 0.82, 0.05) * soft(v, 0.4, 0.75, 0.08);
      const warm = 1 + 0.06 * (strip > fill ? 1 : -1);
      data.set(
        [(room + above + strip + fill) * warm, room + above + strip + fill, (room + above + strip + fill) / warm, 1],
        4 * (width * j + i),
      );
    }
  }
  const texture = new DataTexture(data, width, height, RGBAFormat, FloatType);
  texture.mapping = EquirectangularReflectionMapping;
  texture.colorSpace = LinearSRGBColorSpace;
  texture.minFilter = LinearFilter;
  texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}
