/** The curve between two records, as vertex shaders see it. */
import { finishShader } from './finishes.ts';
import { dynamicWidth, fixedWidth } from './records.ts';

/** Reads the two records of a vertex' segment; to be called first. `loadDirectors` too where d1 is wanted. */
export const records: string = /* glsl */ `
attribute float segment;
uniform highp sampler2D nodeRecords;
uniform highp sampler2D fixedRecords;
vec4 nodeA, tangentA, directorA, nodeB, tangentB, directorB, sectionA, endsA, sectionB;

vec4 nodeRecord(int i) { return texelFetch(nodeRecords, ivec2(i % ${dynamicWidth}, i / ${dynamicWidth}), 0); }
vec4 fixedRecord(int i) { return texelFetch(fixedRecords, ivec2(i % ${fixedWidth}, i / ${fixedWidth}), 0); }

void loadSegment() {
  int s = int(segment + 0.5);
  nodeA = nodeRecord(3 * s);
  tangentA = nodeRecord(3 * s + 1);
  // a broken edge shrinks to a point, which is not drawn
  bool isBroken = tangentA.w > 0.5;
  nodeB = isBroken ? nodeA : nodeRecord(3 * s + 3);
  tangentB = isBroken ? tangentA : nodeRecord(3 * s + 4);
  sectionA = fixedRecord(2 * s);
  endsA = fixedRecord(2 * s + 1);
  sectionB = fixedRecord(2 * s + 2);
  if (isBroken) sectionA.xy = sectionB.xy = vec2(1e-9);
}
void loadDirectors() {
  int s = int(segment + 0.5);
  directorA = nodeRecord(3 * s + 2);
  directorB = nodeRecord(3 * s + 5);
}
`;

/** Cubic through both nodes with their tangents, and its unit tangent. */
export const curve: string = /* glsl */ `
vec3 curvePoint(float v) {
  float length = distance(nodeA.xyz, nodeB.xyz);
  float v2 = v * v, v3 = v2 * v;
  return (2.0 * v3 - 3.0 * v2 + 1.0) * nodeA.xyz + (v3 - 2.0 * v2 + v) * length * tangentA.xyz
    + (3.0 * v2 - 2.0 * v3) * nodeB.xyz + (v3 - v2) * length * tangentB.xyz;
}
vec3 curveTangent(float v) {
  float length = distance(nodeA.xyz, nodeB.xyz);
  float v2 = v * v;
  return normalize((6.0 * v2 - 6.0 * v) * (nodeA.xyz - nodeB.xyz) / max(length, 1e-20)
    + (3.0 * v2 - 4.0 * v + 1.0) * tangentA.xyz + (3.0 * v2 - 2.0 * v) * tangentB.xyz);
}
`;

/** Writes tubePosition and tubeNormal; d1 turns from one node's to the other's about the tangent. */
export const tube: string = /* glsl */ `
attribute float cap;
uniform float thickness;
varying float vValue;
varying vec2 vAround;
varying float vRod;
varying float vAlong;
varying vec3 vAxis;
vec3 tubePosition;
vec3 tubeNormal;

vec3 acrossUnit(vec3 d, vec3 t) { return normalize(d - dot(d, t) * t); }

void placeTube() {
  loadSegment();
  loadDirectors();
  float v = position.z;
  vec3 t = curveTangent(v);
  vec3 from = acrossUnit(directorA.xyz, t);
  vec3 to = acrossUnit(directorB.xyz, t);
  // half the angle: some drivers return 2π for the angle of (1, −0)
  float angle = 2.0 * atan(dot(cross(from, to), t) / max(1.0 + dot(from, to), 1e-6)) * v;
  vec3 d1 = cos(angle) * from + sin(angle) * cross(t, from);
  vec3 d2 = cross(t, d1);
  vec2 axes = thickness * mix(sectionA.xy, sectionB.xy, v);
  vec2 round = position.xy;
  vec2 ring = round;
  vec2 out2 = round / axes;
  if (endsA.z > 0.5) {
    // a rectangle with soft corners
    ring = sign(round) * pow(abs(round), vec2(0.25));
    out2 = sign(round) * pow(abs(round), vec2(1.75)) / axes;
  }
  vec3 side = normalize(out2.x * d1 + out2.y * d2);
  // no cap where the rod goes on: its rings fall together
  float present = cap < 0.0 ? endsA.x : cap > 0.0 ? endsA.y : 0.0;
  float pole = cap * present;
  float flat_ = min(axes.x, axes.y);
  tubePosition = curvePoint(v) + cos(pole) * (ring.x * axes.x * d1 + ring.y * axes.y * d2) + sin(pole) * flat_ * t;
  tubeNormal = normalize(cos(pole) * side + sin(pole) * t);
  vValue = mix(nodeA.w, nodeB.w, v);
  vAround = round;
  vRod = segment;
  vAlong = mix(directorA.w, directorB.w, v) / thickness;
  vAxis = normalMatrix * t;
}
`;

/** Fades out over the last pixel before the outline: the place across a tube is the sine of normal and view. */
export const softEdge: string = /* glsl */ `
{
  float facing = abs(dot(normalize(vNormal), normalize(vViewPosition)));
  float across_ = sqrt(max(0.0, 1.0 - facing * facing));
  gl_FragColor.a *= mix(1.0, clamp((1.0 - across_) / clamp(fwidth(across_), 1e-4, 0.5), 0.0, 1.0), softness);
}
`;

/** Colour of a tube: base or map by value, a stripe along d1, red where a rod has failed. */
export const tubeColor: string = /* glsl */ `
uniform sampler2D colorMap;
uniform vec2 valueRange;
uniform float mapped;
uniform float stripe;
uniform vec3 stripeColor;
uniform vec2 failed;
uniform vec3 failedColor;
uniform float softness;
varying float vValue;
varying vec2 vAround;
varying float vRod;
${finishShader}
vec3 colorTube(vec3 base) {
  float u = clamp((vValue - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30), 0.0, 1.0);
  vec3 color = mix(base, texture2D(colorMap, vec2(mix(0.002, 0.998, u), 0.5)).rgb, mapped);
  float angle = atan(vAround.y, vAround.x);
  float blur = max(fwidth(vAround.y), 0.02);
  float line = (1.0 - smoothstep(0.2 - blur, 0.2 + blur, abs(angle)));
  color = mix(color, stripeColor, 0.72 * stripe * line);
  color *= finishShade();
  if (vRod >= failed.x && vRod < failed.y) color = mix(color, failedColor, 0.85);
  return color;
}
`;
