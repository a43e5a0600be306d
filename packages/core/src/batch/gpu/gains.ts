/** How WGSL writes and reads the gains of a joint: in single precision, or in half of the memory. */

export const gain32 = `
fn writeGain(j: u32, gain: Gain, length: f32) {
  let a = address(j, GAIN_SLOTS, 0);
  gains[a] = vec4f(gain.fromY[0], gain.fromTurn[0].x);
  gains[a + LANES] = vec4f(gain.fromY[1], gain.fromTurn[0].y);
  gains[a + 2 * LANES] = vec4f(gain.fromY[2], gain.fromTurn[0].z);
  gains[a + 3 * LANES] = vec4f(gain.fromTurn[1], gain.constant.x);
  gains[a + 4 * LANES] = vec4f(gain.fromTurn[2], gain.constant.y);
  gains[a + 5 * LANES] = vec4f(gain.constant.z, 0, 0, 0);
}
fn readGain(j: u32, length: f32) -> Gain {
  let a = address(j, GAIN_SLOTS, 0);
  let g0 = gains[a];
  let g1 = gains[a + LANES];
  let g2 = gains[a + 2 * LANES];
  let g3 = gains[a + 3 * LANES];
  let g4 = gains[a + 4 * LANES];
  let g5 = gains[a + 5 * LANES];
  return Gain(
    mat3x3f(g0.xyz, g1.xyz, g2.xyz),
    mat3x3f(vec3f(g0.w, g1.w, g2.w), g3.xyz, g4.xyz),
    vec3f(g3.w, g4.w, g5.x),
  );
}`;

/** Two numbers per word; how displacement turns a joint is scaled by the length of its edge, so that both matrices are of order 1. */
export const gain16 = `
fn writeGain(j: u32, gain: Gain, length: f32) {
  let a = address(j, GAIN_SLOTS, 0);
  let y0 = length * gain.fromY[0];
  let y1 = length * gain.fromY[1];
  let y2 = length * gain.fromY[2];
  let t0 = gain.fromTurn[0];
  let t1 = gain.fromTurn[1];
  let t2 = gain.fromTurn[2];
  gains[a] = bitcast<vec4f>(vec4u(pack2x16float(y0.xy), pack2x16float(vec2f(y0.z, y1.x)), pack2x16float(y1.yz), pack2x16float(y2.xy)));
  gains[a + LANES] = bitcast<vec4f>(vec4u(pack2x16float(vec2f(y2.z, t0.x)), pack2x16float(t0.yz), pack2x16float(t1.xy), pack2x16float(vec2f(t1.z, t2.x))));
  gains[a + 2 * LANES] = vec4f(gain.constant, bitcast<f32>(pack2x16float(t2.yz)));
}
fn readGain(j: u32, length: f32) -> Gain {
  let a = address(j, GAIN_SLOTS, 0);
  let b0 = bitcast<vec4u>(gains[a]);
  let b1 = bitcast<vec4u>(gains[a + LANES]);
  let b2 = gains[a + 2 * LANES];
  let a0 = unpack2x16float(b0.x);
  let a1 = unpack2x16float(b0.y);
  let a2 = unpack2x16float(b0.z);
  let a3 = unpack2x16float(b0.w);
  let a4 = unpack2x16float(b1.x);
  let a5 = unpack2x16float(b1.y);
  let a6 = unpack2x16float(b1.z);
  let a7 = unpack2x16float(b1.w);
  let a8 = unpack2x16float(bitcast<u32>(b2.w));
  return Gain(
    (1 / length) * mat3x3f(vec3f(a0, a1.x), vec3f(a1.y, a2), vec3f(a3, a4.x)),
    mat3x3f(vec3f(a4.y, a5), vec3f(a6, a7.x), vec3f(a7.y, a8)),
    b2.xyz,
  );
}`;
