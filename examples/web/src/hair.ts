/** The page: a head from a glTF file, and hair that a worker simulates on it. */
import { createHairObject } from '@tendril-sim/bridge/three';
import { contact } from '@tendril-sim/core/contact';
import { helix } from '@tendril-sim/core/models/helix';
import { createWorld } from '@tendril-sim/core/world';
import { DirectionalLight, Group, HemisphereLight, PerspectiveCamera, Scene, WebGLRenderer } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { angleAt, makeHair } from './hairScene.ts';

const file = new Uint8Array(await (await fetch('./head.glb')).arrayBuffer());
const { rods, samples } = createWorld(makeHair(file), { models: [helix], contact });
let frame = { time: 0, strands: samples.map(({ nodePosition }) => nodePosition) };
const worker = new Worker(new URL('./hairSimulation.ts', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }: MessageEvent<typeof frame>) => {
  frame = data;
};
worker.postMessage(file);

const scene = new Scene();
const camera = new PerspectiveCamera(30, innerWidth / innerHeight, 0.01, 10);
camera.up.set(0, 0, 1);
camera.position.set(0.25, -0.75, 0.12);
camera.lookAt(0, 0, -0.02);
const sky = new HemisphereLight('#ffffff', '#777777', 1.8);
sky.position.set(0, 0, 1);
const sun = new DirectionalLight('#ffffff', 2);
sun.position.set(1, -1, 2);
const head = new Group();
const { scene: model } = await new GLTFLoader().loadAsync('./head.glb');
// y up in the file, z up here
model.rotation.x = Math.PI / 2;
head.add(model);
const hair = createHairObject(rods, { color: '#5a3a22' });
hair.setThickness(30);
hair.setLight(1, -1, 2);
scene.add(sky, sun, head, hair.object);

const renderer = new WebGLRenderer({ antialias: true, alpha: true });
renderer.setSize(innerWidth, innerHeight);
renderer.domElement.setAttribute('role', 'img');
renderer.domElement.setAttribute('aria-label', 'A turning head with hair that follows it');
document.body.append(renderer.domElement);
addEventListener('resize', () => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
});
renderer.setAnimationLoop(() => {
  head.rotation.z = angleAt(frame.time);
  hair.update(frame.strands.map((nodePosition) => ({ nodePosition })));
  renderer.render(scene, camera);
  document.body.dataset.time = frame.time.toFixed(3);
});
