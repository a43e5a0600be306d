import { DirectionalLight, HemisphereLight, type PerspectiveCamera, type Scene } from 'three';

/** A key over the shoulder, a cool fill from the other side, and sky and ground. */
export function addLights(camera: PerspectiveCamera, scene: Scene): { set(dark: boolean): void } {
  const key = new DirectionalLight('#fff4e2', 2.6);
  key.position.set(-2.2, 3, 2.4);
  const rim = new DirectionalLight('#bcd6ff', 1.2);
  rim.position.set(3, 1, -2.5);
  const sky = new HemisphereLight('#ffffff', '#8a8378', 1.15);
  sky.position.set(0, 0, 1);
  camera.add(key, key.target, rim, rim.target);
  scene.add(sky);
  return {
    set(dark) {
      key.intensity = dark ? 2.5 : 2.1;
      rim.intensity = dark ? 1.7 : 0.7;
      sky.intensity = dark ? 0.75 : 1.35;
    },
  };
}
