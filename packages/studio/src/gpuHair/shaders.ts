/** Shaders of the GPU page. Hair is drawn from the nodes that the simulation leaves on the device; nothing is copied. */
import { skinLight, skinWrap } from '../skin.ts';
import { NODES } from './style.ts';

/** Numbers of the uniform `Frame`, in the order of its fields. */
export const FRAME_FLOATS = 64;
/** Workgroups along the first axis: there may be no more than 65,535. */
export const GROUPS = 32768;
/** Depths behind the first hair up to which the layers of the opacity map collect shadow [m]. */
const LAYERS = [0.004, 0.012, 0.03, 0.08];

const frame = `
struct Frame {
  view: mat4x4f,
  light: mat4x4f,
  /** Eye, and width of a pixel at a distance of 1 m. */
  eye: vec4f,
  /** Direction to the light, and width of a texel of its maps. */
  sun: vec4f,
  /** Colour of the hair, and how rough it is. */
  color: vec4f,
  /** Width of a hair, radius of a lock at its root, hairs per strand, vertices per hair. */
  hair: vec4f,
  turn: vec4f,
  /** Depth of the light's box, opacity of a hair in the light's maps, size of the picture. */
  map: vec4f,
}
@group(0) @binding(0) var<uniform> frame: Frame;

fn turned(x: vec3f) -> vec3f {
  let q = frame.turn;
  return x + 2.0 * cross(q.xyz, cross(q.xyz, x) + q.w * x);
}

fn hash(k: u32) -> u32 {
  var x = k * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return (x >> 22u) ^ x;
}

fn random(k: u32, seed: u32) -> f32 {
  return f32(hash(k ^ hash(seed)) >> 8u) / 16777216.0;
}
`;

/** Vertices of hairs, as many for each: place, and in w its direction, in 12 bits for each of two numbers, or its colour. */
const hairs = `
fn vertices() -> u32 { return u32(frame.hair.w); }

fn fold(p: vec2f) -> vec2f {
  return (1.0 - abs(p.yx)) * select(vec2f(-1.0), vec2f(1.0), p >= vec2f(0.0));
}

/** Whole numbers below 2²⁴ are exact in a float. */
fn packDirection(t: vec3f) -> f32 {
  let p = t.xy / (abs(t.x) + abs(t.y) + abs(t.z));
  let q = vec2u(round((0.5 + 0.5 * select(fold(p), p, t.z >= 0.0)) * 4095.0));
  return f32(q.x * 4096u + q.y);
}

fn unpackDirection(w: f32) -> vec3f {
  let bits = u32(w);
  let p = vec2f(f32(bits >> 12u), f32(bits & 4095u)) / 2047.5 - 1.0;
  let z = 1.0 - abs(p.x) - abs(p.y);
  return normalize(vec3f(select(fold(p), p, z >= 0.0), z));
}

fn packColor(c: vec3f) -> f32 {
  let q = vec3u(round(clamp(c, vec3f(0.0), vec3f(1.0)) * 255.0));
  return f32(q.x * 65536u + q.y * 256u + q.z);
}

fn unpackColor(w: f32) -> vec3f {
  let bits = u32(w);
  return vec3f(f32(bits >> 16u), f32((bits >> 8u) & 255u), f32(bits & 255u)) / 255.0;
}
`;

/** Lays hairs around their strand, closer together towards the tip: a workgroup per hair, a thread per vertex. */
export const placeShader: string = `${frame}${hairs}
struct Part { first: u32, count: u32 }
@group(1) @binding(0) var<storage, read> nodes: array<vec4f>;
@group(1) @binding(1) var<uniform> part: Part;
@group(1) @binding(2) var<storage, read_write> points: array<vec4f>;

const NODES = ${NODES};

fn nodeOf(s: u32, i: i32) -> vec3f {
  let k = u32(clamp(i, 0, NODES - 1));
  return nodes[32u * (u32(NODES) * (s >> 5u) + k) + (s & 31u)].xyz;
}

struct Point { x: vec3f, along: vec3f }

/** At u edges from the root: a curve through all nodes. */
fn pointOf(s: u32, u: f32) -> Point {
  let i = i32(min(floor(u), f32(NODES - 2)));
  let t = u - f32(i);
  let a = nodeOf(s, i - 1);
  let b = nodeOf(s, i);
  let c = nodeOf(s, i + 1);
  let d = nodeOf(s, i + 2);
  let p = c - a;
  let q = 2.0 * a - 5.0 * b + 4.0 * c - d;
  let r = 3.0 * (b - c) + d - a;
  return Point(0.5 * (2.0 * b + t * (p + t * (q + t * r))), 0.5 * (p + t * (2.0 * q + 3.0 * t * r)));
}

@compute @workgroup_size(64) fn place(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) v: u32) {
  let children = u32(frame.hair.z);
  let k = group.x + ${GROUPS}u * group.y;
  if (v >= vertices() || k >= part.count * children) { return; }
  let s = k / children;
  let c = k % children;
  let key = 64u * (s + part.first) + c;
  let along = f32(v) / f32(vertices() - 1u);
  // some are cut shorter, and each waves a little by itself
  let u = along * f32(NODES - 1) * (1.0 - 0.22 * random(key, 7u) * random(key, 8u) * f32(c > 0u));
  let angle = 6.2831853 * random(key, 1u);
  let height = 2.0 * random(key, 2u) - 1.0;
  let out = sqrt(max(0.0, 1.0 - height * height));
  let offset = turned(vec3f(out * cos(angle), out * sin(angle), height)) * pow(random(key, 3u), 0.4);
  let phase = 40.0 * vec3f(random(key, 4u), random(key, 5u), random(key, 6u));
  let wave = sin(u * vec3f(0.9, 1.1, 0.7) + phase);
  let point = pointOf(s, u);
  let radius = frame.hair.y * (1.0 - 0.62 * smoothstep(0.1, 1.0, along)) * f32(c > 0u);
  let x = point.x + radius * offset + 0.22 * frame.hair.y * min(1.0, 4.0 * along) * wave;
  points[(part.first * children + k) * vertices() + v] = vec4f(x, packDirection(normalize(point.along)));
}`;

/** Light that gets through the hair: the light's box has its depths, and the layers of opacity behind the first hair. */
const shadows = `
@group(0) @binding(1) var skinDepth: texture_depth_2d;
@group(0) @binding(2) var hairDepth: texture_depth_2d;
@group(0) @binding(3) var hairLayers: texture_2d<f32>;
@group(0) @binding(4) var linear: sampler;
@group(0) @binding(5) var compare: sampler_comparison;

fn lightPlace(x: vec3f) -> vec3f {
  let p = frame.light * vec4f(x, 1.0);
  return vec3f(0.5 * p.x + 0.5, 0.5 - 0.5 * p.y, p.z);
}

/** Hair between a point and the light, counted as hairs. */
fn hairBefore(x: vec3f, spread: f32) -> f32 {
  let p = lightPlace(x);
  let size = vec2i(textureDimensions(hairDepth));
  var sum = 0.0;
  for (var k = 0; k < 4; k++) {
    let o = spread * vec2f(f32(k & 1) - 0.5, f32(k >> 1) - 0.5);
    let at = p.xy + o / vec2f(size);
    let first = textureLoad(hairDepth, clamp(vec2i(at * vec2f(size)), vec2i(0), size - 1), 0);
    let depth = (p.z - first) * frame.map.x;
    let layers = textureSampleLevel(hairLayers, linear, at, 0.0);
    var count = layers.x * clamp(depth / ${LAYERS[0]}, 0.0, 1.0);
    count += (layers.y - layers.x) * clamp((depth - ${LAYERS[0]}) / ${LAYERS[1] - LAYERS[0]}, 0.0, 1.0);
    count += (layers.z - layers.y) * clamp((depth - ${LAYERS[1]}) / ${LAYERS[2] - LAYERS[1]}, 0.0, 1.0);
    count += (layers.w - layers.z) * clamp((depth - ${LAYERS[2]}) / ${LAYERS[3] - LAYERS[2]}, 0.0, 1.0);
    sum += 0.25 * count;
  }
  return sum;
}

/** 1 where the bust does not shade a point. */
fn besideSkin(x: vec3f, bias: f32) -> f32 {
  let p = lightPlace(x);
  let texel = 1.6 / f32(textureDimensions(skinDepth).x);
  var sum = 0.0;
  for (var k = 0; k < 9; k++) {
    let o = texel * vec2f(f32(k % 3) - 1.0, f32(k / 3) - 1.0);
    sum += textureSampleCompareLevel(skinDepth, compare, p.xy + o, p.z - bias / frame.map.x);
  }
  return sum / 9.0;
}

/** From light to what a screen shows. */
fn develop(light: vec3f) -> vec4f {
  let x = 1.05 * light;
  let film = (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14);
  return vec4f(pow(clamp(film, vec3f(0.0), vec3f(1.0)), vec3f(1.0 / 2.2)), 1.0);
}

const SUN = vec3f(3.1, 2.95, 2.75);
const SKY = vec3f(0.36, 0.42, 0.52);
const FLOOR = vec3f(0.2, 0.17, 0.15);
const RIM = vec3f(1.15, 1.3, 1.6);
const RIM_FROM = vec3f(-0.62, 0.64, 0.45);
`;

/** The bust into the light's depths. */
export const skinDepthShader: string = `${frame}
@vertex fn vertex(@location(0) x: vec3f) -> @builtin(position) vec4f {
  return frame.light * vec4f(turned(x), 1.0);
}`;

/** Hair as lines into the light's depths, and then into the layers behind them: every second vertex. */
export const hairDepthShader: string = `${frame}${hairs}
@group(1) @binding(0) var<storage, read> points: array<vec4f>;
@vertex fn vertex(@builtin(vertex_index) v: u32, @builtin(instance_index) k: u32) -> @builtin(position) vec4f {
  return frame.light * vec4f(points[k * vertices() + 2u * v].xyz, 1.0);
}`;

export const hairLayersShader: string = `${hairDepthShader}
@group(0) @binding(1) var hairDepth: texture_depth_2d;
@fragment fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let depth = (at.z - textureLoad(hairDepth, vec2i(at.xy), 0)) * frame.map.x;
  return frame.map.y * vec4f(vec4f(${LAYERS.join(', ')}) >= vec4f(depth));
}`;

/** Colours every vertex of every hair, from the light that reaches it. */
export const shadeShader: string = `${frame}${hairs}${shadows}
@group(1) @binding(0) var<storage, read_write> points: array<vec4f>;

fn lobe(x: f32, width: f32) -> f32 {
  return exp(-0.5 * (x / width) * (x / width)) / (2.5066 * width);
}

/** Light that one hair sends to the eye: reflected at its surface, through it, and reflected inside it; what its neighbours scatter. */
fn scatter(t: vec3f, l: vec3f, e: vec3f, tint: vec3f, seen: vec2f) -> vec3f {
  let sl = dot(t, l);
  let se = dot(t, e);
  let around = dot(normalize(l - sl * t + vec3f(1e-5)), normalize(e - se * t + vec3f(1e-5)));
  let tilt = asin(clamp(sl, -1.0, 1.0)) + asin(clamp(se, -1.0, 1.0));
  let rough = frame.color.w;
  let cosine = sqrt(max(0.05, 0.5 + 0.5 * (dot(l, e) - sl * se)));
  let first = lobe(tilt + 0.14, rough) * 0.25 * sqrt(max(0.0, 0.5 + 0.5 * around)) * 0.22;
  let passed = lobe(tilt - 0.07, 0.6 * rough) * exp(-3.65 * around - 3.98) * pow(tint, vec3f(0.6)) * seen.y;
  let second = lobe(tilt - 0.21, 1.8 * rough) * exp(5.0 * around - 5.2) * pow(tint, vec3f(0.8 / cosine)) * 0.75;
  let across = normalize(e - se * t + vec3f(1e-5));
  let soft = sqrt(tint) * 0.36 * clamp((dot(across, l) + 1.0) / 4.0, 0.0, 1.0) * pow(tint, vec3f(max(0.0, 1.0 - seen.x)));
  return (first + passed + second) * sqrt(max(0.0, 1.0 - sl * sl)) + soft;
}

@compute @workgroup_size(64) fn shade(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) v: u32) {
  let k = group.x + ${GROUPS}u * group.y;
  let at = k * vertices() + v;
  if (v >= vertices() || at >= arrayLength(&points)) { return; }
  let point = points[at];
  let x = point.xyz;
  let t = unpackDirection(point.w);
  let e = normalize(frame.eye.xyz - x);
  let hair = hairBefore(x, 2.0);
  let skin = besideSkin(x, 0.006);
  let lit = exp(-0.5 * hair);
  let vary = 0.8 + 0.45 * random(k / u32(frame.hair.z), 12u) + 0.2 * random(k, 13u);
  let tint = pow(clamp(frame.color.xyz, vec3f(0.001), vec3f(1.0)), vec3f(1.0 / vary));
  let sun = scatter(t, frame.sun.xyz, e, tint, vec2f(lit, skin * lit)) * SUN * skin * (0.06 + 0.94 * lit);
  let rim = scatter(t, normalize(RIM_FROM), e, tint, vec2f(0.7, 0.4)) * RIM * mix(0.25, 0.9, exp(-0.2 * hair));
  let up = 0.5 + 0.5 * normalize(e - dot(e, t) * t).z;
  let root = smoothstep(0.0, 0.1, f32(v) / f32(vertices()));
  let sky = 0.34 * sqrt(tint) * mix(FLOOR, SKY, up) * (0.15 + 0.85 * exp(-0.3 * hair)) * mix(0.5, 1.0, root);
  points[at] = vec4f(x, packColor(develop(sun + rim + sky).xyz));
}`;

/** Skin: light that enters it leaves it beside. */
export const skinShader: string = `${frame}${shadows}
struct Out { @builtin(position) at: vec4f, @location(0) x: vec3f, @location(1) normal: vec3f, @location(2) own: vec3f }
@vertex fn vertex(@location(0) x: vec3f, @location(1) normal: vec3f) -> Out {
  let y = turned(x);
  return Out(frame.view * vec4f(y, 1.0), y, turned(normal), x);
}

@fragment fn fragment(in: Out) -> @location(0) vec4f {
  let n = normalize(in.normal);
  let eye = normalize(frame.eye.xyz - in.x);
  let facing = dot(n, frame.sun.xyz);
  let hair = hairBefore(in.x + 0.002 * n, 3.0);
  let lit = besideSkin(in.x + 0.001 * n, 0.004) * exp(-0.5 * hair);
  // red light goes the farthest
  let wrap = vec3f(${skinWrap.join(', ')});
  let soft = max(vec3f(0.0), (vec3f(facing) + wrap) / (1.0 + wrap));
  let sky = mix(FLOOR, SKY, 0.5 + 0.5 * n.z) * (0.35 + 0.65 * exp(-0.25 * hair));
  let skin = mix(vec3f(${skinLight.join(', ')}), vec3f(0.7, 0.36, 0.3), 0.35 * smoothstep(0.02, 0.0, abs(in.own.z + 0.066)) * smoothstep(-0.085, -0.1, in.own.y));
  let halfway = normalize(frame.sun.xyz + eye);
  let shine = 0.10 * pow(max(0.0, dot(n, halfway)), 28.0) + 0.05 * pow(max(0.0, dot(n, halfway)), 6.0);
  let edge = pow(1.0 - max(0.0, dot(n, eye)), 4.0);
  let rim = RIM * max(0.0, dot(n, normalize(RIM_FROM))) * 0.5;
  let light = skin * (soft * SUN * mix(0.1, 1.0, lit) * 0.34 + 0.8 * sky + 0.5 * rim) + shine * SUN * lit + 0.12 * edge * SKY;
  return develop(light * smoothstep(-0.345, -0.2, in.own.z));
}`;

/** Ribbons that face the eye. One is a pixel wide at least, and covers as many of its samples as the hair does. */
export const hairShader: string = `${frame}${hairs}
@group(1) @binding(0) var<storage, read> points: array<vec4f>;

struct Out {
  @builtin(position) at: vec4f,
  @location(0) color: vec3f,
  @location(1) cover: f32,
  @location(2) @interpolate(flat) key: u32,
}

@vertex fn vertex(@builtin(vertex_index) corner: u32, @builtin(instance_index) k: u32) -> Out {
  let v = corner / 2u;
  let first = k * vertices();
  let point = points[first + v];
  let along = points[first + min(v + 1u, vertices() - 1u)].xyz - points[first + max(v, 1u) - 1u].xyz;
  let eye = frame.eye.xyz - point.xyz;
  let pixel = frame.eye.w * length(eye);
  let thin = frame.hair.x * mix(1.0, 0.35, smoothstep(0.6, 1.0, f32(v) / f32(vertices() - 1u)));
  let width = max(thin, pixel);
  let x = point.xyz + (f32(corner & 1u) - 0.5) * width * normalize(cross(along, eye));
  return Out(frame.view * vec4f(x, 1.0), unpackColor(point.w), thin / width, k);
}

struct Pixel { @location(0) color: vec4f, @builtin(sample_mask) samples: u32 }

@fragment fn fragment(in: Out) -> Pixel {
  let place = hash(u32(in.at.x) + 4096u * u32(in.at.y));
  let shift = random(in.key ^ place, 11u);
  var samples = 0u;
  for (var k = 0u; k < 4u; k++) {
    samples |= select(0u, 1u << ((k + in.key) & 3u), f32(k) + shift < 4.0 * in.cover);
  }
  if (samples == 0u) { discard; }
  return Pixel(vec4f(in.color, 1.0), samples);
}`;

export const backdropShader: string = `${frame}
struct Out { @builtin(position) at: vec4f, @location(0) place: vec2f }
@vertex fn vertex(@builtin(vertex_index) v: u32) -> Out {
  let p = vec2f(f32(v & 1u) * 4.0 - 1.0, f32(v >> 1u) * 4.0 - 1.0);
  return Out(vec4f(p, 1.0, 1.0), p);
}
@fragment fn fragment(in: Out) -> @location(0) vec4f {
  let glow = exp(-1.6 * dot(in.place - vec2f(0.15, 0.1), in.place - vec2f(0.15, 0.1)));
  let shade = mix(vec3f(0.012, 0.014, 0.019), vec3f(0.13, 0.145, 0.175), glow);
  let grain = (random(u32(in.at.x) + 8192u * u32(in.at.y), 3u) - 0.5) / 255.0;
  return vec4f(pow(shade, vec3f(1.0 / 2.2)) + grain, 1.0);
}`;
