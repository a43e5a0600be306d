/**
 * Contacts of two rods with obstacles; contact c of one rod is beside contact c of the other. Contains the map S between a rod's unknowns and its
 * contact points, and the contact law. If a rod has fewer contacts than the other, its remaining ones have no weight and are at node 0.
 */
import { add, div, entry, ld, mul, select, splat, st, sub } from './lanes';
import { Pair } from './pair';
import {
  BEFORE,
  BIAS,
  CONTACT_ENTRIES,
  COPY,
  EDGE,
  FREE,
  FRICTION,
  IMPULSE,
  NORMAL,
  OMEGA,
  RHO,
  SURFACE,
  THERE,
  WEIGHT,
} from './shared';

// @ts-ignore: decorator
@inline export function contactAt(p: Pair, c: i32): usize {
  return p.contacts + <usize>(16 * CONTACT_ENTRIES * c);
}

/** Address of active contact i. */
// @ts-ignore: decorator
@inline export function activeContactAt(p: Pair, i: i32): usize {
  return <usize>load<i32>(p.activeContacts + ((<usize>i) << 2));
}

// @ts-ignore: decorator
@inline function increase(a: usize, value: f64): void {
  store<f64>(a, load<f64>(a) + value);
}

// @ts-ignore: decorator
@inline export function edgeOf(t: usize, lane: usize): usize {
  return <usize>load<i32>(t + 16 * EDGE + (lane >> 1));
}

/** x += Sᵀ g, with `stride` entries per node, from the node's first on. */
// @ts-ignore: decorator
@inline export function addAt(x: usize, t: usize, gx: v128, gy: v128, gz: v128, stride: usize): void {
  const w = ld(t, WEIGHT);
  const u = sub(splat(1.0), w);
  const ax = mul(u, gx);
  const ay = mul(u, gy);
  const az = mul(u, gz);
  const bx = mul(w, gx);
  const by = mul(w, gy);
  const bz = mul(w, gz);
  const size: usize = 16 * stride;
  const first = x + size * edgeOf(t, 0);
  increase(first, f64x2.extract_lane(ax, 0));
  increase(first + 16, f64x2.extract_lane(ay, 0));
  increase(first + 32, f64x2.extract_lane(az, 0));
  increase(first + size, f64x2.extract_lane(bx, 0));
  increase(first + size + 16, f64x2.extract_lane(by, 0));
  increase(first + size + 32, f64x2.extract_lane(bz, 0));
  const second = x + size * edgeOf(t, 8) + 8;
  increase(second, f64x2.extract_lane(ax, 1));
  increase(second + 16, f64x2.extract_lane(ay, 1));
  increase(second + 32, f64x2.extract_lane(az, 1));
  increase(second + size, f64x2.extract_lane(bx, 1));
  increase(second + size + 16, f64x2.extract_lane(by, 1));
  increase(second + size + 32, f64x2.extract_lane(bz, 1));
}

// @ts-ignore: decorator
@inline export function gather(a: usize, b: usize): v128 {
  return f64x2.replace_lane(splat(load<f64>(a)), 1, load<f64>(b));
}

/** Writes base + scale·S x to entry `to` of the contact; `base`: one of its entries, or −1 for zero. */
// @ts-ignore: decorator
@inline export function readAt(t: usize, to: i32, x: usize, scale: v128, base: i32): void {
  const w = ld(t, WEIGHT);
  const u = sub(splat(1.0), w);
  const a = x + 64 * edgeOf(t, 0);
  const b = x + 64 * edgeOf(t, 8) + 8;
  for (let k = 0; k < 3; k++) {
    const o = <usize>(16 * k);
    const value = mul(scale, add(mul(u, gather(a + o, b + o)), mul(w, gather(a + o + 64, b + o + 64))));
    st(t, to + k, base < 0 ? value : add(ld(t, base + k), value));
  }
}

/** Velocity along the normal at entry `from`, beyond what the gap allows: negative if the contact would close. */
// @ts-ignore: decorator
@inline export function closing(t: usize, from: i32): v128 {
  let u = ld(t, BIAS);
  for (let k = 0; k < 3; k++) u = add(u, mul(ld(t, NORMAL + k), sub(ld(t, from + k), ld(t, SURFACE + k))));
  return u;
}

/** Counts the active contacts at each node. */
export function countContactsAtNodes(p: Pair, count: i32): void {
  memory.fill(p.contactsAtNode, 0, <usize>(16 * p.nodeCount));
  const one = splat(1.0);
  const zero = splat(0.0);
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    const active = f64x2.gt(ld(t, RHO), zero);
    const w = ld(t, WEIGHT);
    const first = v128.and(one, v128.and(active, f64x2.lt(w, one)));
    const second = v128.and(one, v128.and(active, f64x2.gt(w, zero)));
    const a = p.contactsAtNode + 16 * edgeOf(t, 0);
    const b = p.contactsAtNode + 16 * edgeOf(t, 8) + 8;
    increase(a, f64x2.extract_lane(first, 0));
    increase(a + 16, f64x2.extract_lane(second, 0));
    increase(b, f64x2.extract_lane(first, 1));
    increase(b + 16, f64x2.extract_lane(second, 1));
  }
}

/** Number of contacts at the busier node of contact t, from `countContactsAtNodes`. */
export function contactsNear(p: Pair, t: usize): v128 {
  const one = splat(1.0);
  const w = ld(t, WEIGHT);
  const a = p.contactsAtNode + 16 * edgeOf(t, 0);
  const b = p.contactsAtNode + 16 * edgeOf(t, 8) + 8;
  const first = v128.and(gather(a, b), f64x2.lt(w, one));
  const second = v128.and(gather(a + 16, b + 16), f64x2.gt(w, splat(0.0)));
  return f64x2.max(one, f64x2.max(first, second));
}

/** Lists the contacts that are active in either lane; returns their number. */
export function listActive(p: Pair, count: i32): i32 {
  let active = 0;
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    if (!v128.any_true(f64x2.gt(ld(t, RHO), splat(0.0)))) continue;
    store<i32>(p.activeContacts + ((<usize>active) << 2), <i32>t);
    active++;
  }
  return active;
}

/** The contact law (admm.ts): impulses and copies from FREE, except in waiting lanes. Returns the largest W·p_n. */
export function applyLaw(p: Pair, count: i32, waits: v128): v128 {
  const zero = splat(0.0);
  let swing = zero;
  for (let c = 0; c < count; c++) {
    const t = activeContactAt(p, c);
    const w = ld(t, OMEGA);
    const active = v128.andnot(f64x2.gt(w, zero), waits);
    const fx = ld(t, FREE);
    const fy = ld(t, FREE + 1);
    const fz = ld(t, FREE + 2);
    const ux = sub(fx, ld(t, SURFACE));
    const uy = sub(fy, ld(t, SURFACE + 1));
    const uz = sub(fz, ld(t, SURFACE + 2));
    const nx = ld(t, NORMAL);
    const ny = ld(t, NORMAL + 1);
    const nz = ld(t, NORMAL + 2);
    const un = add(add(mul(ux, nx), mul(uy, ny)), mul(uz, nz));
    const u = add(un, ld(t, BIAS));
    const pressed = f64x2.lt(u, zero);
    const inverse = div(splat(-1.0), select(active, w, splat(1.0)));
    const pn = mul(u, inverse);
    const tx = mul(sub(ux, mul(un, nx)), inverse);
    const ty = mul(sub(uy, mul(un, ny)), inverse);
    const tz = mul(sub(uz, mul(un, nz)), inverse);
    const size = f64x2.sqrt(add(add(mul(tx, tx), mul(ty, ty)), mul(tz, tz)));
    const most = mul(ld(t, FRICTION), pn);
    const cut = select(f64x2.gt(size, most), div(most, size), splat(1.0));
    const px = v128.and(add(mul(pn, nx), mul(cut, tx)), pressed);
    const py = v128.and(add(mul(pn, ny), mul(cut, ty)), pressed);
    const pz = v128.and(add(mul(pn, nz), mul(cut, tz)), pressed);
    swing = f64x2.max(swing, v128.and(div(f64x2.neg(u), f64x2.max(ld(t, THERE), splat(1.0))), v128.and(pressed, active)));
    st(t, IMPULSE, select(active, px, ld(t, IMPULSE)));
    st(t, IMPULSE + 1, select(active, py, ld(t, IMPULSE + 1)));
    st(t, IMPULSE + 2, select(active, pz, ld(t, IMPULSE + 2)));
    st(t, COPY, select(active, add(fx, mul(px, w)), ld(t, COPY)));
    st(t, COPY + 1, select(active, add(fy, mul(py, w)), ld(t, COPY + 1)));
    st(t, COPY + 2, select(active, add(fz, mul(pz, w)), ld(t, COPY + 2)));
  }
  return swing;
}

/** Subtracts the contacts' forces, impulses BEFORE over h, from the residual; returns how much they change the sum of force magnitudes. */
export function subtractPush(p: Pair, count: i32, h: f64): v128 {
  memory.fill(p.push, 0, <usize>(48 * p.nodeCount));
  const s = splat(1.0 / h);
  for (let c = 0; c < count; c++) {
    const t = contactAt(p, c);
    addAt(p.push, t, mul(s, ld(t, BEFORE)), mul(s, ld(t, BEFORE + 1)), mul(s, ld(t, BEFORE + 2)), 3);
  }
  let more = splat(0.0);
  for (let i = 0; i < p.nodeCount; i++) {
    const r = entry(p.residual, 4 * i);
    const f = entry(p.force, 3 * i);
    const g = entry(p.push, 3 * i);
    for (let k = 0; k < 3; k++) {
      st(r, k, sub(ld(r, k), ld(g, k)));
      more = add(more, sub(f64x2.abs(add(ld(f, k), ld(g, k))), f64x2.abs(ld(f, k))));
    }
  }
  return more;
}
