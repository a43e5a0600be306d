/** The page: draws the newest frame of the worker and sends it the pointer. It never waits for the simulation. */
import { createRodObject } from '@tendril-sim/bridge/three';
import { der } from '@tendril-sim/core/models/der';
import { createWorld } from '@tendril-sim/core/world';
import {
  DirectionalLight,
  HemisphereLight,
  PerspectiveCamera,
  Plane,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { rope } from './scene.ts';
import type { Frame, Pull } from './simulation.ts';

// the page needs only rest lengths and radii from this world and never steps it
const { rods, samples } = createWorld(rope, { models: [der] });
const worker = new Worker(new URL('./simulation.ts', import.meta.url), { type: 'module' });
let frame: Frame = { nodePosition: samples[0].nodePosition, edgeDirector: samples[0].edgeDirector };
worker.onmessage = ({ data }: MessageEvent<Frame>) => {
  frame = data;
};

// z is up in this scene, y in three.js: set the camera's up axis, and put the lights above z
const scene = new Scene();
const camera = new PerspectiveCamera(35, 1, 0.01, 50);
camera.up.set(0, 0, 1);
camera.position.set(0, -3.2, -0.3);
camera.lookAt(0, 0, -0.45);
const sky = new HemisphereLight('#ffffff', '#8a8f98', 1.6);
sky.position.set(0, 0, 1);
const sun = new DirectionalLight('#ffffff', 2.2);
sun.position.set(1, -2, 3);
const tubes = createRodObject(rods, { color: '#c98a4b' });
scene.add(sky, sun, tubes.object);

const renderer = new WebGLRenderer({ antialias: true, alpha: true });
renderer.domElement.setAttribute('role', 'img');
renderer.domElement.setAttribute('aria-label', 'A rope that hangs from one end; drag it with the mouse or a finger');
document.body.append(renderer.domElement);
function resize(): void {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
}
addEventListener('resize', resize);
resize();

const ray = new Raycaster();
const wall = new Plane(new Vector3(0, 1, 0), 0);
let held = -1;

/** Point under the pointer, in the plane of the rope. */
function under({ clientX, clientY }: PointerEvent): Vector3 {
  ray.setFromCamera(new Vector2((2 * clientX) / innerWidth - 1, 1 - (2 * clientY) / innerHeight), camera);
  return ray.ray.intersectPlane(wall, new Vector3()) ?? new Vector3();
}

function nearest(point: Vector3): number {
  const x = frame.nodePosition;
  let best = 0;
  const distance = (i: number): number =>
    Math.hypot(x[3 * i] - point.x, x[3 * i + 1] - point.y, x[3 * i + 2] - point.z);
  for (let i = 0; 3 * i < x.length; i++) if (distance(i) < distance(best)) best = i;
  return best;
}

const send = (pull: Pull): void => worker.postMessage(pull);
renderer.domElement.addEventListener('pointerdown', (event) => {
  renderer.domElement.setPointerCapture(event.pointerId);
  const point = under(event);
  held = nearest(point);
  send({ node: held, target: point.toArray() });
});
renderer.domElement.addEventListener('pointermove', (event) => {
  if (held >= 0) send({ node: held, target: under(event).toArray() });
});
for (const end of ['pointerup', 'pointercancel'])
  renderer.domElement.addEventListener(end, () => {
    held = -1;
    send({ node: -1 });
  });

renderer.setAnimationLoop(() => {
  tubes.update([frame]);
  renderer.render(scene, camera);
  // read by the test of this example: position of the free end, and of the node that the pointer holds
  const place = (node: number): string => frame.nodePosition.slice(3 * node, 3 * node + 3).join(' ');
  document.body.dataset.tip = place(60);
  document.body.dataset.held = held < 0 ? '' : place(held);
});
