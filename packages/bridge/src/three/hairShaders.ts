/** Shaders of hair: ribbons that face the camera, with the reflections of a translucent cylinder. */
import { hairLight } from './hairShadow.ts';
import { dynamicWidth, fixedWidth } from './records.ts';
import { strandWidth } from './strands.ts';

/** A vertex is a side of a node; its number says which. With STRANDS, `nodes` per hair, blended from up to three curves. */
const place = /* glsl */ `
uniform highp sampler2D nodeRecords;
uniform highp sampler2D fixedRecords;
vec4 nodeRecord(int i) { return texelFetch(nodeRecords, ivec2(i % ${dynamicWidth}, i / ${dynamicWidth}), 0); }
vec4 fixedRecord(int i) { return texelFetch(fixedRecords, ivec2(i % ${fixedWidth}, i / ${fixedWidth}), 0); }
vec3 node;
vec3 nodeTangent;
vec4 section;
float number;
#ifdef STRANDS
uniform highp sampler2D strands;
uniform int nodes;
uniform float fuzz;
vec4 strandRecord(int i) { return texelFetch(strands, ivec2(i % ${strandWidth}, i / ${strandWidth}), 0); }

void loadNode(int vertex) {
  int hair = vertex / nodes;
  int i = vertex - hair * nodes;
  vec4 from = strandRecord(2 * hair);
  vec4 weight = strandRecord(2 * hair + 1);
  ivec3 record = ivec3(from.xyz + 0.5) * nodes + i;
  node = weight.x * nodeRecord(3 * record.x).xyz + weight.y * nodeRecord(3 * record.y).xyz + weight.z * nodeRecord(3 * record.z).xyz;
  nodeTangent = normalize(weight.x * nodeRecord(3 * record.x + 1).xyz + weight.y * nodeRecord(3 * record.y + 1).xyz
    + weight.z * nodeRecord(3 * record.z + 1).xyz);
  section = fixedRecord(2 * record.x);
  number = from.w;
  // no two hairs are quite parallel
  vec3 wave = sin(section.z * vec3(9.0, 13.0, 11.0) + 6.2832 * fract(number * vec3(17.0, 29.0, 43.0)));
  node += fuzz * section.z * (1.0 - weight.x) * wave;
}
#else
void loadNode(int vertex) {
  node = nodeRecord(3 * vertex).xyz;
  nodeTangent = nodeRecord(3 * vertex + 1).xyz;
  section = fixedRecord(2 * vertex);
  number = fixedRecord(2 * vertex + 1).w;
}
#endif
`;

export const vertexShader: string = /* glsl */ `
${place}
uniform vec2 resolution;
uniform float thickness;
uniform float taper;
varying vec3 vTangent;
varying vec3 vPlace;
varying vec3 vWorld;
varying vec4 vHair;

void main() {
  loadNode(gl_VertexID / 2);
  float side = float(2 * (gl_VertexID % 2) - 1);
  vec4 world = modelMatrix * vec4(node, 1.0);
  vec4 view = viewMatrix * world;
  vec3 tangent = normalize(mat3(modelViewMatrix) * nodeTangent);
  float u = section.z;
  float radius = thickness * 0.5 * (section.x + section.y) * mix(1.0, taper, u * u);
  // as wide as a pixel at least, and thinner by coverage
  float pixel = -view.z / (0.5 * resolution.y * projectionMatrix[1][1]);
  float half_ = max(radius, 0.75 * pixel);
  vec3 across = cross(tangent, normalize(view.xyz));
  float size = length(across);
  across = size > 1e-4 ? across / size : vec3(1.0, 0.0, 0.0);
  view.xyz += side * half_ * across;
  gl_Position = projectionMatrix * view;
  vTangent = tangent;
  vPlace = view.xyz;
  vWorld = world.xyz;
  vHair = vec4(min(1.0, radius / half_), u, number, side);
}
`;

/**
 * Reflection at the surface (white), through the fibre (transmission) and after one reflection inside (tinted) [Marschner2003], in the
 * closed forms of [Karis2016], with a diffuse part for what is scattered from hair to hair.
 */
const reflect_ = /* glsl */ `
float lobe(float width, float x) { return exp(-0.5 * x * x / (width * width)) / (2.5066 * width); }
float fresnel(float c) { float f = 1.0 - c; float f2 = f * f; return 0.0465 + 0.9535 * f2 * f2 * f; }

vec3 reflectHair(vec3 t, vec3 l, vec3 v, vec3 base, float shadow) {
  float sinL = clamp(dot(t, l), -1.0, 1.0);
  float sinV = clamp(dot(t, v), -1.0, 1.0);
  float vl = dot(v, l);
  float cosD = cos(0.5 * abs(asin(sinV) - asin(sinL)));
  vec3 lp = l - sinL * t;
  vec3 vp = v - sinV * t;
  float cosPhi = dot(lp, vp) * inversesqrt(dot(lp, lp) * dot(vp, vp) + 1e-4);
  float cosHalf = sqrt(clamp(0.5 + 0.5 * cosPhi, 0.0, 1.0));
  const float shift = 0.045;
  const float width = 0.075;
  float along = sinL + sinV;
  float cosV = sqrt(max(0.0, 1.0 - sinV * sinV));
  float white = 2.0 * -shift * (cosHalf * cosV - shift * sinV);
  vec3 sum = vec3(lobe(width * 1.414 * max(cosHalf, 0.15), along - white) * 0.25 * cosHalf * fresnel(sqrt(clamp(0.5 + 0.5 * vl, 0.0, 1.0))));
  float inside = 1.0 / (1.19 / cosD + 0.36 * cosD);
  float h = cosHalf * (1.0 + inside * (0.6 - 0.8 * cosPhi));
  float enter = 1.0 - fresnel(cosD * sqrt(clamp(1.0 - h * h, 0.0, 1.0)));
  vec3 through = pow(base, vec3(0.5 * sqrt(max(0.0, 1.0 - h * h * inside * inside)) / cosD));
  sum += lobe(0.5 * width, along - shift) * exp(-3.65 * cosPhi - 3.98) * enter * enter * through * shadow;
  float back = fresnel(0.5 * cosD);
  sum += lobe(2.0 * width, along - 4.0 * shift) * exp(17.0 * cosPhi - 16.78) * (1.0 - back) * (1.0 - back) * back * pow(base, vec3(0.8 / cosD));
  float facing = clamp((dot(normalize(vp + 1e-4), l) + 1.0) * 0.25, 0.0, 1.0);
  float luma = max(1e-3, dot(base, vec3(0.3, 0.59, 0.11)));
  vec3 scattered = mix(base, sqrt(base * luma), 0.5) * 1.6 * pow(base / luma, vec3(0.6 - 0.6 * shadow));
  return sum + 0.3183 * facing * scattered;
}
`;

export const fragmentShader: string = /* glsl */ `
uniform vec3 color;
uniform vec3 light;
uniform vec3 rim;
uniform vec3 brightness;
uniform float seed;
varying vec3 vTangent;
varying vec3 vPlace;
varying vec3 vWorld;
varying vec4 vHair;
#include <common>
${hairLight}
${reflect_}

void main() {
  float side = abs(vHair.w);
  float coverage = vHair.x * (1.0 - 0.85 * smoothstep(0.5, 1.0, side));
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy + 5.588 * seed, vec2(0.06711056, 0.00583715))) + 7.31 * vHair.z);
#ifdef HASHED
  if (coverage < 0.08 + 0.5 * noise) discard;
#endif
  // a ribbon is round: its tangent plane turns from side to side
  vec3 t = normalize(vTangent);
  vec3 v = -normalize(vPlace);
  vec3 base = color * mix(0.75, 1.25, fract(vHair.z * 7.13)) * mix(0.85, 1.1, vHair.y);
  vec2 left = hairLight(vWorld);
  vec3 l = normalize((viewMatrix * vec4(light, 0.0)).xyz);
  vec3 shade = brightness.x * left.x * reflectHair(t, l, v, base, left.x);
#ifdef RIM
  vec3 r = normalize((viewMatrix * vec4(rim, 0.0)).xyz);
  shade += brightness.y * left.y * reflectHair(t, r, v, base, left.y);
#endif
  // light from all around, most of it from above, where no other hair takes it
  vec3 up = normalize((viewMatrix * vec4(0.0, 0.0, 1.0, 0.0)).xyz);
  vec3 out_ = normalize(v - dot(v, t) * t + 1e-4);
  shade += brightness.z * mix(0.12, 1.0, left.y * (0.5 + 0.5 * left.x)) * (0.65 + 0.35 * dot(out_, up)) * base;
  gl_FragColor = vec4(shade, clamp(coverage + 0.3 * (noise - 0.5), 0.0, 1.0));
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
#ifdef HASHED
  gl_FragColor.a = 1.0;
#endif
}
`;
