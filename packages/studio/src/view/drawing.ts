/** From frames to pictures: colours, thickness, arrows, and one picture of all lanes. */
import { Box3, Vector3 } from 'three';
import type { Frame } from '../protocol.ts';
import { spread } from './accumulate.ts';
import { laneColors } from './colormaps.ts';
import { ballOf, type Extent } from './frameCamera.ts';
import type { LaneView } from './lane.ts';
import { perPixelOf, rectsOf, setSize, smallerSide, type ViewState } from './viewState.ts';

const plain = { light: '#b5652f', dark: '#e8a868' };

/** Colour of a lane whose rods show no quantity. */
export function baseColor({ lanes, options }: ViewState, lane: number): string {
  if (lanes.length > 1) return laneColors[lane % laneColors.length];
  if (lanes[0]?.hair) return options.hairColor;
  return options.dark ? plain.dark : plain.light;
}

export function applyColors(view: ViewState): void {
  const { lanes, options, range, colliders, ground, lights } = view;
  const { colorBy, stripe, finish, dark } = options;
  lanes.forEach((lane, k) => {
    lane.setColoring({ by: colorBy, range: range || 1, plain: baseColor(view, k), stripe, finish, dark });
    lane.setExtras(options.ghost, options.frames, options.forces);
  });
  colliders?.shade(options.hairColor);
  ground.setColors(dark ? '#5b6577' : '#9aa3b2', dark ? '#000000' : '#1c2433', dark ? 0.85 : 0.36, options.grid);
  lights.set(dark);
  for (const { hair } of lanes) if (hair) lights.lightHair(hair);
  view.dirty = true;
}

/** Radius of the thickest rod [m]. */
function thickestOf(lanes: readonly LaneView[]): number {
  let most = 0;
  for (const { info } of lanes) for (const { edgeRadius } of info.rods) most = Math.max(most, edgeRadius[0]);
  return most;
}

/** Rods that would be thinner than a pixel are drawn thicker; the legend says so. */
function applyThickness(view: ViewState): void {
  const { lanes, thickness } = view;
  const most = thickestOf(lanes);
  // a hair may be as thin as a pixel, a rod should show its sides
  const hairs = lanes.reduce((sum, { hair }) => sum + (hair?.count ?? 0), 0);
  const least = hairs > 0 ? 0.6 / Math.sqrt(Math.max(1, hairs / 6000)) : 1.7;
  const factor = most === 0 ? 1 : Math.max(1, (least * perPixelOf(view)) / most);
  if (Math.abs(factor - thickness) < 0.02 * thickness) return;
  view.thickness = factor;
  for (const lane of lanes) lane.setThickness(factor);
}

/** Arrows keep their size on the screen. */
function applyForces(view: ViewState): void {
  const { options, arrows, lanes, spread } = view;
  if (!options.forces) return;
  const pixel = perPixelOf(view);
  const scale = arrows.perNewton(smallerSide(view)) * pixel;
  for (const lane of lanes) lane.drawForces(scale, pixel, arrows.width(spread / pixel), options.dark);
}

const held = new Vector3();

/** The place that the hand holds, as it is drawn; another model may have fewer nodes. */
function heldIn({ pull }: ViewState, { samples }: LaneView): Vector3 | undefined {
  const x = pull && samples[pull.rod]?.nodePosition;
  return x && pull ? held.fromArray(x, Math.min(3 * pull.node, x.length - 3)) : undefined;
}

/** Whether what the hand holds is seen: if it is not, the camera has to go after it. */
function inPicture(view: ViewState): boolean {
  const { lanes, man } = view;
  const at = lanes[0] && heldIn(view, lanes[0])?.project(man.camera);
  return !at || Math.max(Math.abs(at.x), Math.abs(at.y)) < 0.95;
}

const point = new Vector3();
const bounds = new Box3();

/** More nodes are not looked at twice for each picture. */
const ballLimit = 20_000;

/** Where the rods are now, and the things that move with them; valid until the next call. */
export function measureBounds({ lanes, colliders }: ViewState): Extent {
  bounds.makeEmpty();
  for (const lane of lanes) {
    for (const { nodePosition: x } of lane.samples)
      for (let i = 0; i < x.length; i += 3) bounds.expandByPoint(point.set(x[i], x[i + 1], x[i + 2]));
  }
  const lists = lanes.flatMap(({ samples }) => samples.map(({ nodePosition }) => nodePosition));
  // half of a thick rod lies outside of its centreline
  const thickest = thickestOf(lanes);
  const center = bounds.getCenter(point);
  if (!bounds.isEmpty()) bounds.expandByScalar(thickest);
  const moving = colliders?.movingBounds(bounds);
  if (moving && !moving.isEmpty()) return { box: bounds.union(moving), ball: Number.POSITIVE_INFINITY };
  const isFew = lists.reduce((sum, { length }) => sum + length, 0) < 3 * ballLimit;
  return { box: bounds, ball: isFew ? ballOf(lists, center) + thickest : Number.POSITIVE_INFINITY };
}

/** Bending and twist that nobody can see are no signal: rounding errors of a straight rod would take the whole scale. */
function leastRange({ lanes, options: { colorBy } }: ViewState): number {
  const length = lanes[0]?.info.rods[0]?.length ?? 0;
  return length > 0 && (colorBy === 'curvature' || colorBy === 'twist') ? 1e-6 / length : 0;
}

/** What lies between two frames is what the next picture shows. */
export function showFrame(view: ViewState, a: Frame, b: Frame, weight: number): void {
  const { lanes, arrows, options, range, colliders, man, ground, lights } = view;
  let most = 0;
  lanes.forEach((lane, k) => {
    if (!a.lanes[k] || !b.lanes[k] || lane.info.refused !== undefined) return;
    if (lane.hair) lights.lightHair(lane.hair);
    lane.show(a.lanes[k], b.lanes[k], weight);
    most = Math.max(most, lane.largest);
  });
  arrows.watch(lanes.map(({ forces }) => forces));
  most = Math.max(most, leastRange(view));
  // rises at once, falls slowly, so that colours do not flicker
  const next = most > range ? most : range + 0.01 * (most - range);
  if (options.colorBy !== 'plain' && Math.abs(next - range) > 1e-3 * range) {
    view.range = next;
    applyColors(view);
  }
  colliders?.deform(a.time + weight * (b.time - a.time));
  lanes[0]?.placeColliders((collider, at) => colliders?.place(collider, at));
  const now = measureBounds(view);
  view.spread = now.box.getSize(point).length();
  man.held = view.hold !== undefined && inPicture(view);
  man.watch(now);
  man.placeGround(ground);
  view.dirty = true;
}

function draw(view: ViewState): void {
  const {
    lanes,
    lights,
    software,
    isCoarse,
    man,
    quality,
    renderer,
    scene,
    band,
    pull,
    ground,
    colliders,
    options,
    width,
    height,
  } = view;
  applyThickness(view);
  lights.setShadows(!isCoarse && (!software || view.refined));
  lights.stir(view.refined ? view.pass : 0);
  lights.cover(man.seen, view.thickness * thickestOf(lanes));
  applyForces(view);
  for (const lane of lanes) {
    // the mean smooths edges better than fading does; its first picture is seen alone
    lane.setSoftEdges(software && !(view.refined && view.pass > 0) ? 1 : 0);
    lane.hair?.setShare(view.refined ? 1 : quality.share);
    lane.hair?.setSeed(view.refined ? view.pass : 0);
  }
  renderer.setScissorTest(false);
  renderer.setViewport(0, 0, width, height);
  renderer.clear();
  const areas = rectsOf(view);
  const pictures = options.overlay ? [lanes] : lanes.map((lane) => [lane]);
  pictures.forEach((together, k) => {
    for (const lane of lanes) lane.group.visible = together.includes(lane);
    const { x, y, width: w, height: h } = areas[k];
    const first = together.find(({ info }) => info.refused === undefined) ?? together[0];
    if (pull && first) band.place(heldIn(view, first), pull.target, 0.008 * man.distance);
    first?.placeColliders((collider, at) => colliders?.place(collider, at));
    const casters = together.flatMap((lane) => lane.casters);
    if (!isCoarse) ground.renderShadow(renderer, casters, view.thickness);
    renderer.setViewport(x, height - y - h, w, h);
    renderer.setScissor(x, height - y - h, w, h);
    renderer.setScissorTest(pictures.length > 1);
    renderer.render(scene, man.camera);
  });
}

/** One picture of those whose mean is shown while everything stands still; `ratio`: pixels per pixel of the page. */
export function refine(view: ViewState, ratio: number): void {
  const { quality, man, accumulator, renderer } = view;
  if (!view.refined || view.pixelRatio !== ratio) {
    view.refined = true;
    view.pass = 0;
    if (view.pixelRatio !== ratio) setSize(view, ratio);
  }
  const { camera } = man;
  const [x, y] = spread(view.pass, 'pixel');
  const [{ width, height }] = rectsOf(view);
  const { elements } = camera.projectionMatrix;
  elements[8] += (2 * x) / (width * ratio);
  elements[9] += (2 * y) / (height * ratio);
  draw(view);
  camera.updateProjectionMatrix();
  accumulator.add(renderer, view.pass);
  view.pass++;
  view.dirty = false;
  quality.drew(true);
}

/** The mean for a file, at once: a processor takes fewer pictures, because nobody can do anything meanwhile. */
export function refineWhole(view: ViewState, ratio: number): void {
  const count = view.software ? Math.min(3, view.quality.passes) : view.quality.passes;
  view.refined = false;
  for (let k = 0; k < count; k++) refine(view, ratio);
}

/** Draws if anything has changed; false where nothing had. */
export function render(view: ViewState, seconds: number): boolean {
  const { man, hold, options, arrows, quality, lanes } = view;
  // nothing was loaded yet
  if (lanes.length === 0) return false;
  const moved = man.update(seconds);
  if (hold) {
    man.camera.updateMatrixWorld();
    hold();
  }
  if (options.forces && arrows.settle(seconds)) view.dirty = true;
  quality.measure();
  if (!moved && !view.dirty) {
    if (quality.rest(seconds)) refine(view, view.fixedRatio ?? quality.fineRatio);
    return false;
  }
  // before drawing: another size clears what was drawn
  if (view.refined) quality.wake();
  view.refined = false;
  if (view.pixelRatio !== (view.fixedRatio ?? quality.ratio)) setSize(view);
  view.dirty = false;
  draw(view);
  quality.drew(false);
  return true;
}
