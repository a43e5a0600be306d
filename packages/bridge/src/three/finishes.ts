/**
 * What rods look as if they were made of: relief and gloss in the fragment shader of tubes, at no cost in triangles.
 *
 * Strands of ropes and yarns wind around the rod by its material angle and its arc length, so they turn with the twist and stay with the
 * material.
 */

/** Material that a tube looks as if made of. */
export type RodFinish = 'rubber' | 'steel' | 'rope' | 'yarn' | 'wood';

/** All of them; the shader knows them by their place. */
export const rodFinishes: readonly RodFinish[] = ['rubber', 'steel', 'rope', 'yarn', 'wood'];

/** Roughness and metalness of three's standard material. */
export const gloss: Readonly<Record<RodFinish, { readonly roughness: number; readonly metalness: number }>> = {
  rubber: { roughness: 0.42, metalness: 0 },
  steel: { roughness: 0.26, metalness: 0.85 },
  rope: { roughness: 0.8, metalness: 0 },
  yarn: { roughness: 0.95, metalness: 0 },
  wood: { roughness: 0.85, metalness: 0 },
};

/**
 * `finishNormal` tilts the normal; `finishShade` is how much light the relief leaves, 0…1. Both need `vAround`, `vAlong` and `vAxis`.
 * `lay`: number of strands, turns per length of one radius, height of the fibers. `acrossStrand`: place across a strand, −0.5 to 0.5, and
 * the size of a pixel in it. `visible`: relief finer than pixels fades out.
 */
export const finishShader: string = /* glsl */ `
uniform int finish;
varying float vAlong;
varying vec3 vAxis;

float hash2(vec2 p) { return fract(sin(dot(p, vec2(127.1, 311.7))) * 43758.5453); }
float noise2(vec2 p) {
  vec2 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(hash2(i), hash2(i + vec2(1.0, 0.0)), f.x), mix(hash2(i + vec2(0.0, 1.0)), hash2(i + vec2(1.0, 1.0)), f.x), f.y);
}

vec3 lay() { return finish == 2 ? vec3(3.0, 0.133, 0.22) : vec3(2.0, 0.167, 0.4); }

vec2 acrossStrand() {
  vec3 l = lay();
  float angle = atan(vAround.y, vAround.x) / 6.2831853;
  float pixel = l.x * (length(fwidth(vAround)) / 6.2831853 + l.y * fwidth(vAlong));
  return vec2(fract(l.x * (angle - l.y * vAlong)) - 0.5, pixel);
}

float visible(float pixel) { return 1.0 - smoothstep(0.25, 0.7, pixel); }

vec3 finishNormal(vec3 n) {
  if (finish < 2) return n;
  vec3 axis = normalize(vAxis - dot(vAxis, n) * n);
  vec3 round_ = cross(axis, n);
  float angle = atan(vAround.y, vAround.x);
  if (finish == 4) {
    float pixel = 3.0 * length(fwidth(vAround));
    vec2 p = vec2(vAround.x * 3.0 + vAround.y * 2.0, vAlong * 0.35);
    float slope = noise2(p * 2.0 + vec2(0.3, 0.0)) - noise2(p * 2.0 - vec2(0.3, 0.0));
    return normalize(n + 0.9 * visible(pixel) * slope * round_);
  }
  vec3 l = lay();
  vec2 q = acrossStrand();
  vec3 side = normalize(round_ - 6.2831853 * l.y * axis);
  float fibers = sin(31.0 * q.x + 5.5 * vAlong) * l.z * visible(8.0 * q.y);
  return normalize(n + visible(q.y) * (2.3 * q.x + fibers) * side);
}

float finishShade() {
  if (finish == 4) return mix(0.72, 1.0, noise2(vec2(vAround.x * 6.0 + vAround.y * 4.0, vAlong * 0.7)));
  if (finish < 2) return 1.0;
  vec2 q = acrossStrand();
  return mix(0.86, mix(0.3, 1.0, smoothstep(0.5, 0.3, abs(q.x))), visible(q.y));
}
`;
