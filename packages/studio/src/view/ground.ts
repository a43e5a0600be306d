/**
 * The ground: a grid that fades out, with soft shadows.
 *
 * Shadows are drawn from above into a small picture, each segment as a capsule that is wider and paler the higher it is, and
 * the darkest wins; the ground reads that picture. It costs a fraction of a shadow map and is soft where it should be.
 */

import { type Records, type RecordUniforms, repeatPiece, ribbonPiece, segmentRecords } from '@tendril-sim/bridge/three';
import {
  AddEquation,
  CircleGeometry,
  Color,
  CustomBlending,
  DoubleSide,
  LinearFilter,
  MaxEquation,
  Mesh,
  OneFactor,
  OrthographicCamera,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  type Texture,
  Vector3,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';

export interface Ground {
  readonly object: Mesh;
  /** Where it lies and how large it is. */
  place(center: Vector3, up: Vector3, size: number, cell: number): void;
  setColors(line: string, shadow: string, strength: number, grid: boolean): void;
  /** The shadow of rods. */
  castRods(records: Records, uniforms: RecordUniforms): Mesh;
  /** The shadow of a ball. */
  castBall(radius: number): Mesh;
  /** Draws what of `casters` is visible. */
  renderShadow(renderer: WebGLRenderer, casters: readonly Mesh[], thickness: number): void;
  dispose(): void;
}

const shadowSize = 256;
/** That cast a shadow, at most about. */
const shadowSegments = 500;
/** The shadow's picture covers this part of the ground. */
const shadowPart = 0.6;

const shadowVertex = /* glsl */ `
${segmentRecords}
uniform vec3 center;
uniform vec3 axisX;
uniform vec3 axisY;
uniform vec3 up;
uniform float size;
uniform float thickness;
varying vec2 vPoint;
varying vec4 vSegment;
varying vec4 vSoft;

vec3 above(vec3 x) { vec3 d = x - center; return vec3(dot(d, axisX), dot(d, axisY), dot(d, up)) / size; }

void main() {
  loadSegment();
  vec3 a = above(nodeA.xyz);
  vec3 b = above(nodeB.xyz);
  float ra = thickness * 0.5 * (sectionA.x + sectionA.y) / size;
  float rb = thickness * 0.5 * (sectionB.x + sectionB.y) / size;
  float wa = 1.2 * ra + 0.012 + 0.22 * max(a.z, 0.0);
  float wb = 1.2 * rb + 0.012 + 0.22 * max(b.z, 0.0);
  float reach = max(wa, wb);
  vec2 along = b.xy - a.xy;
  float length_ = length(along);
  vec2 t = length_ > 1e-6 ? along / length_ : vec2(1.0, 0.0);
  vec2 n = vec2(-t.y, t.x);
  vec2 p = mix(a.xy - reach * t, b.xy + reach * t, position.y) + position.x * reach * n;
  vPoint = p;
  vSegment = vec4(a.xy, b.xy);
  vSoft = vec4(wa, wb, ra / wa, rb / wb);
  gl_Position = vec4(2.0 * p / ${shadowPart.toFixed(2)}, 0.0, 1.0);
}
`;

const shadowFragment = /* glsl */ `
varying vec2 vPoint;
varying vec4 vSegment;
varying vec4 vSoft;
void main() {
  vec2 ab = vSegment.zw - vSegment.xy;
  float u = clamp(dot(vPoint - vSegment.xy, ab) / max(dot(ab, ab), 1e-12), 0.0, 1.0);
  float d = distance(vPoint, vSegment.xy + u * ab) / mix(vSoft.x, vSoft.y, u);
  float dark = (1.0 - smoothstep(0.0, 1.0, d)) * min(1.0, 0.12 + 1.5 * mix(vSoft.z, vSoft.w, u));
  gl_FragColor = vec4(dark, dark, dark, 1.0);
}
`;

const ballVertex = /* glsl */ `
uniform vec3 center;
uniform vec3 axisX;
uniform vec3 axisY;
uniform vec3 up;
uniform float size;
uniform float radius;
varying vec2 vPoint;
varying float vSharp;
void main() {
  vec3 d = (modelMatrix * vec4(0.0, 0.0, 0.0, 1.0)).xyz - center;
  float h = max(0.0, dot(d, up) / size - radius / size);
  float r = radius / size + 0.012 + 0.22 * h;
  vPoint = position.xy * 2.0;
  vSharp = min(1.0, radius / size / r);
  gl_Position = vec4(2.0 * (vec2(dot(d, axisX), dot(d, axisY)) / size + vPoint * r) / ${shadowPart.toFixed(2)}, 0.0, 1.0);
}
`;

const ballFragment = /* glsl */ `
varying vec2 vPoint;
varying float vSharp;
void main() {
  float dark = (1.0 - smoothstep(0.25 * vSharp, 1.0, length(vPoint))) * (0.12 + 0.88 * vSharp);
  gl_FragColor = vec4(dark, dark, dark, 1.0);
}
`;

const groundVertex = /* glsl */ `
varying vec2 vPlane;
void main() {
  vPlane = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;

const groundFragment = /* glsl */ `
uniform sampler2D shadow;
uniform float size;
uniform float cell;
uniform vec3 lineColor;
uniform vec3 shadowColor;
uniform float strength;
uniform float grid;
varying vec2 vPlane;

// blur: cells per pixel
float gridLine(vec2 p, vec2 blur, float width) {
  vec2 d = abs(fract(p - 0.5) - 0.5) / blur;
  return max(0.0, 1.0 - min(d.x, d.y) / width) * (1.0 - smoothstep(0.25, 0.6, max(blur.x, blur.y)));
}

void main() {
  vec2 p = vPlane * size / cell;
  vec2 blur = max(fwidth(p), 1e-6);
  float fade = 1.0 - smoothstep(0.35, 1.0, 2.0 * length(vPlane));
  float line = grid * max(0.13 * gridLine(p, blur, 1.0), 0.34 * gridLine(0.2 * p, 0.2 * blur, 1.2)) * fade;
  vec2 inside = vPlane / ${shadowPart.toFixed(2)};
  float dark = strength * texture2D(shadow, inside + 0.5).r * (1.0 - smoothstep(0.7, 1.0, 2.0 * length(inside)));
  float alpha = line + dark * (1.0 - line);
  vec3 color = mix(lineColor, shadowColor, dark / max(line + dark, 1e-4));
  if (alpha < 0.003) discard;
  gl_FragColor = vec4(color, alpha);
  #include <colorspace_fragment>
}
`;

/** Uniforms of the ground plane that its shader and those of shadows share. */
const createPlane = () => ({
  center: { value: new Vector3() },
  axisX: { value: new Vector3(1, 0, 0) },
  axisY: { value: new Vector3(0, 1, 0) },
  up: { value: new Vector3(0, 0, 1) },
  size: { value: 1 },
  thickness: { value: 1 },
});
type Plane = ReturnType<typeof createPlane>;

/** Blends shadows so that the darkest counts. */
const darkest = {
  blending: CustomBlending,
  blendEquation: MaxEquation,
  blendEquationAlpha: AddEquation,
  blendSrc: OneFactor,
  blendDst: OneFactor,
  depthTest: false,
  depthWrite: false,
  side: DoubleSide,
} as const;

const createLook = (shadow: Texture, { size }: Plane) => ({
  shadow: { value: shadow },
  size,
  cell: { value: 0.1 },
  lineColor: { value: new Color('#888') },
  shadowColor: { value: new Color('#000') },
  strength: { value: 0.5 },
  grid: { value: 1 },
});

export function createGround(): Ground {
  const target = new WebGLRenderTarget(shadowSize, shadowSize, {
    minFilter: LinearFilter,
    magFilter: LinearFilter,
    depthBuffer: false,
  });
  const plane = createPlane();
  const uniforms = createLook(target.texture, plane);
  const material = new ShaderMaterial({
    uniforms,
    vertexShader: groundVertex,
    fragmentShader: groundFragment,
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
  });
  const object = new Mesh(new CircleGeometry(0.5, 64), material);
  object.renderOrder = -1;
  const casting = createCasting(plane);
  return {
    object,
    place(center, up, size, cell) {
      placePlane(plane, center, up, size);
      uniforms.cell.value = cell;
      object.matrixAutoUpdate = false;
      object.matrix
        .makeBasis(plane.axisX.value, plane.axisY.value, up)
        .scale(new Vector3(size, size, size))
        .setPosition(center);
      object.matrixWorldNeedsUpdate = true;
    },
    setColors(line, shadow, strength, grid) {
      uniforms.grid.value = grid ? 1 : 0;
      uniforms.lineColor.value.set(line);
      uniforms.shadowColor.value.set(shadow);
      uniforms.strength.value = strength;
    },
    castRods: casting.castRods,
    castBall: casting.castBall,
    renderShadow: createShadowRenderer(target, plane),
    dispose() {
      target.dispose();
      material.dispose();
      casting.dispose();
      object.geometry.dispose();
    },
  };
}

function placePlane(plane: Plane, center: Vector3, up: Vector3, size: number): void {
  plane.center.value.copy(center);
  plane.up.value.copy(up);
  const { value: x } = plane.axisX;
  x.set(Math.abs(up.x) < 0.9 ? 1 : 0, Math.abs(up.x) < 0.9 ? 0 : 1, 0)
    .addScaledVector(up, -x.dot(up))
    .normalize();
  plane.axisY.value.crossVectors(up, x);
  plane.size.value = size;
}

/** Objects that draw the shadows of rods and balls on the plane. */
function createCasting(plane: Plane): Pick<Ground, 'castRods' | 'castBall' | 'dispose'> {
  const rodShadow = new ShaderMaterial({
    uniforms: plane,
    vertexShader: shadowVertex,
    fragmentShader: shadowFragment,
    ...darkest,
  });
  return {
    castRods(records, recordUniforms) {
      // where many segments blur into each other, some are enough
      const stride = Math.max(1, Math.round(records.count / shadowSegments));
      const material = rodShadow.clone();
      material.uniforms = { ...plane, ...recordUniforms };
      const mesh = new Mesh(repeatPiece(ribbonPiece(1), records, stride), material);
      mesh.frustumCulled = false;
      return mesh;
    },
    castBall(radius) {
      const own = new ShaderMaterial({
        uniforms: { ...plane, radius: { value: radius } },
        vertexShader: ballVertex,
        fragmentShader: ballFragment,
        ...darkest,
      });
      const mesh = new Mesh(new PlaneGeometry(1, 1), own);
      mesh.frustumCulled = false;
      return mesh;
    },
    dispose: () => rodShadow.dispose(),
  };
}

/** Draws all shadows into the texture that the ground shows. */
function createShadowRenderer(target: WebGLRenderTarget, plane: Plane): Ground['renderShadow'] {
  const scene = new Scene();
  const camera = new OrthographicCamera();
  const clear = new Color(0, 0, 0);
  const kept = new Color();
  return (renderer, casters, thickness) => {
    plane.thickness.value = thickness;
    scene.clear();
    for (const caster of casters) scene.add(caster);
    renderer.getClearColor(kept);
    const alpha = renderer.getClearAlpha();
    renderer.setRenderTarget(target);
    renderer.setClearColor(clear, 1);
    renderer.clear();
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
    renderer.setClearColor(kept, alpha);
  };
}
