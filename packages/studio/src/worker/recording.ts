/** A recording as frames: what a run on the command line left behind. */
import { type BodyPose, compileColliders, type Samples, SceneError } from '@tendril-sim/core';
import {
  decodeRecording,
  formatScene,
  InputError,
  type Recording,
  type RecordingFrame,
  type SceneInput,
} from '@tendril-sim/io';
import { layoutOfLane, poseSize } from '../frameLayout.ts';
import {
  type ColliderInfo,
  type Frame,
  type LaneInfo,
  type ReadRecording,
  type RodInfo,
  statNames,
} from '../protocol.ts';
import { coloringOf } from './coloring.ts';
import { createForceList, createLoadReader } from './forces.ts';
import { writeColliders } from './lane.ts';

/** Frames kept of a long recording. */
const frameLimit = 1500;

/** `header`: what it is a recording of, for exports. */
export function readRecording(
  bytes: ArrayBuffer,
  name: string,
): ReadRecording & { readonly header: Recording['header'] } {
  const recording = decode(bytes, name);
  const { header } = recording;
  const first = recording.frameCount > 0 ? recording.frame(0) : undefined;
  const info: LaneInfo = {
    variant: { id: 'recording', label: 'recording' },
    refused: undefined,
    warnings: recording.complete ? [] : ['the recording is incomplete; its complete frames are shown'],
    pins: [],
    moving: (header.scene.colliders ?? []).flatMap(({ path, body }, k) => (path || body !== undefined ? [k] : [])),
    bodies: (header.bodies ?? []).map(({ id, radius }) => ({
      id,
      solid: radius > 0 ? { type: 'sphere', radius } : undefined,
      assumed: false,
    })),
    rods: header.rods.map((rod, r) => describeRod(rod, first?.rods[r].nodePosition ?? [], header.scene.rods[r]?.color)),
  };
  const stride = Math.max(1, Math.ceil(recording.frameCount / frameLimit));
  const frames: Frame[] = [];
  const place = placeColliders(header, info.moving);
  const readLoads = createRecordedLoads(header);
  for (let k = 0; k < recording.frameCount; k += stride) frames.push(packFrame(recording, k, info, place, readLoads));
  const duration = frames[frames.length - 1]?.time ?? 0;
  const { gravity } = header.scene;
  const g = gravity && 'acceleration' in gravity ? gravity.acceleration : gravity;
  return {
    loaded: {
      lanes: [info],
      time: { duration, step: duration / Math.max(1, frames.length - 1), note: `Recording ${name}` },
      kept: 'restarted',
      start: frames[0]?.time ?? 0,
      controls: [],
      colorBy: coloringOf(header.scene),
      values: header.scene,
      colliders: (header.scene.colliders ?? []) as readonly ColliderInfo[],
      gravity: g ? [g[0], g[1], g[2]] : [0, 0, 0],
      title: header.scene.title ?? name,
    },
    frames,
    header,
    text: formatScene(header.scene as SceneInput),
  };
}

function describeRod(
  rod: Recording['header']['rods'][number],
  nodePosition: ArrayLike<number>,
  color: string | undefined,
): RodInfo {
  const nodeArc = new Float32Array(rod.nodeCount);
  for (let i = 1; i < rod.nodeCount; i++) nodeArc[i] = nodeArc[i - 1] + rod.edgeLengthRest[i - 1];
  const round = new Float32Array(2 * rod.edgeCount).fill(1);
  return {
    id: rod.id,
    model: rod.model,
    closed: rod.closed,
    nodeCount: rod.nodeCount,
    edgeCount: rod.edgeCount,
    length: rod.edgeLengthRest.reduce((a, b) => a + b, 0),
    square: false,
    nodeArc,
    edgeRadius: Float32Array.from(rod.edgeRadius),
    halfEI1: round,
    halfEI2: round,
    nodePosition: Float32Array.from(nodePosition),
    ...(color && { color }),
  };
}

type Place = (data: Float32Array, o: number, time: number) => void;

/** Where the colliders are: on their paths, or on the bodies of which the frame tells. */
function placeColliders({ scene, bodies = [] }: Recording['header'], moving: readonly number[]): Place {
  const poses = bodies.map(({ id }) => ({ body: { id }, pose: createBodyPose() }));
  const compiled = compileColliders(scene, scene.rods, poses, []);
  return (data, o, time) => {
    poses.forEach(({ pose }, k) => {
      pose.position.set(data.subarray(o - 7 * (poses.length - k), o - 7 * (poses.length - k) + 3));
      const [w, x, y, z] = data.subarray(o - 7 * (poses.length - k) + 3, o - 7 * (poses.length - k) + 7);
      pose.rotation.set([
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
      ]);
    });
    writeColliders(data, o, compiled, moving, time);
  };
}

const createBodyPose = (): BodyPose => ({
  position: new Float64Array(3),
  orientation: Float64Array.of(1, 0, 0, 0),
  rotation: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
  velocity: new Float64Array(3),
  angularVelocity: new Float64Array(3),
});

function decode(bytes: ArrayBuffer, name: string): Recording {
  try {
    return decodeRecording(new Uint8Array(bytes), name, { partial: true });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new Error(error.problems.map(({ message }) => message).join('\n'));
  }
}

type ReadLoads = (rods: RecordingFrame['rods'], time: number) => Float32Array;

/** Loads of the scene, which follow from its shape; fields need velocities, which a recording does not keep. */
function createRecordedLoads({ scene, rods }: Recording['header']): ReadLoads {
  const { fields: _, ...rest } = scene;
  try {
    const add = createLoadReader(rest, rods);
    return (frames, time) => {
      const list = createForceList();
      add(list, frames.map(samplesOf), time);
      return list.pack();
    };
  } catch (error) {
    // of a version whose scenes were other ones: what was recorded is shown all the same
    if (!(error instanceof SceneError)) throw error;
    return () => new Float32Array(0);
  }
}

function samplesOf({ nodePosition: x, edgeDirector }: RecordingFrame['rods'][number]): Samples {
  const edgeTangent = new Float64Array(edgeDirector.length);
  for (let a = 0; a < edgeDirector.length; a += 3) {
    const b = (a + 3) % x.length;
    const size = Math.hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
    for (let k = 0; k < 3; k++) edgeTangent[a + k] = (x[b + k] - x[a + k]) / size;
  }
  return {
    nodePosition: x,
    nodeVelocity: new Float64Array(x.length),
    edgeTangent,
    edgeDirector,
    edgeSpin: new Float64Array(edgeDirector.length / 3),
  };
}

function packFrame(recording: Recording, k: number, info: LaneInfo, place: Place, readLoads: ReadLoads): Frame {
  const { time, rods, bodies, energies } = recording.frame(k);
  const layout = layoutOfLane(info);
  const data = new Float32Array(layout.length);
  const stats = new Float64Array(statNames.length);
  stats.set([
    energies.kinetic,
    energies.bending,
    energies.twisting,
    energies.stretching,
    energies.potential,
    energies.total,
  ]);
  rods.forEach(({ nodePosition, edgeDirector, channels }, r) => {
    const at = layout.rods[r];
    data.set(nodePosition, at.position);
    data.set(edgeDirector, at.director);
    if (channels?.curvature) data.set(channels.curvature, at.curvature);
    if (channels?.twist) data.set(channels.twist, at.twist);
    if (channels?.tension) data.set(channels.tension, at.tension);
  });
  (bodies ?? []).forEach((body, k) => {
    data.set(Array.from(body.position), layout.bodies + poseSize * k);
    data.set(Array.from(body.orientation), layout.bodies + poseSize * k + 3);
  });
  place(data, layout.colliders, time);
  return { time, lanes: [{ data, stats, forces: readLoads(rods, time), cost: 0 }] };
}
