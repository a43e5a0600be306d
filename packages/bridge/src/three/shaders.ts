/** The curve between two records, as vertex shaders see it. */

export const attributes: string = /* glsl */ `
attribute vec4 nodeA;
attribute vec4 tangentA;
attribute vec4 directorA;
attribute vec4 nodeB;
attribute vec4 tangentB;
attribute vec4 directorB;
attribute vec4 sectionA;
attribute vec4 endsA;
attribute vec4 sectionB;
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
vec3 tubePosition;
vec3 tubeNormal;

vec3 acrossUnit(vec3 d, vec3 t) { return normalize(d - dot(d, t) * t); }

void placeTube() {
  float v = position.z;
  vec3 t = curveTangent(v);
  vec3 from = acrossUnit(directorA.xyz, t);
  vec3 to = acrossUnit(directorB.xyz, t);
  float angle = atan(dot(cross(from, to), t), dot(from, to)) * v;
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
  if (sectionA.w < 0.5) tubePosition = nodeA.xyz;
  vValue = mix(nodeA.w, nodeB.w, v);
  vAround = round;
  vRod = float(gl_InstanceID);
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
varying float vValue;
varying vec2 vAround;
varying float vRod;

vec3 colorTube(vec3 base) {
  float u = clamp((vValue - valueRange.x) / max(valueRange.y - valueRange.x, 1e-30), 0.0, 1.0);
  vec3 color = mix(base, texture2D(colorMap, vec2(mix(0.002, 0.998, u), 0.5)).rgb, mapped);
  float angle = atan(vAround.y, vAround.x);
  float blur = max(fwidth(vAround.y), 0.02);
  float line = (1.0 - smoothstep(0.2 - blur, 0.2 + blur, abs(angle)));
  color = mix(color, stripeColor, 0.72 * stripe * line);
  if (vRod >= failed.x && vRod < failed.y) color = mix(color, failedColor, 0.85);
  return color;
}
`;
