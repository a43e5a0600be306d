/** The page: draws the newest frame of the worker and sends it the mouse. It never waits for the simulation. */
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

// compiled once here for lengths and radii; it is not stepped
const { rods, samples } = createWorld(rope, { models: [der] });
const worker = new Worker(new URL('./simulation.ts', import.meta.url), { type: 'module' });
let frame: Frame = { nodePosition: samples[0].nodePosition, edgeDirector: samples[0].edgeDirector };
worker.onmessage = ({ data }: MessageEvent<Frame>) => {
  frame = data;
};

// Tendril's z is up; three.js assumes y: turn the camera and put the lights above
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

/** The point under the mouse in the plane of the rope. */
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
renderer.domElement.addEventListener('pointerup', () => {
  held = -1;
  send({ node: -1 });
});

renderer.setAnimationLoop(() => {
  tubes.update([frame]);
  renderer.render(scene, camera);
  // for the test of this example: where the free end is, and the node that the mouse holds
  const place = (node: number): string => frame.nodePosition.slice(3 * node, 3 * node + 3).join(' ');
  document.body.dataset.tip = place(60);
  document.body.dataset.held = held < 0 ? '' : place(held);
});
