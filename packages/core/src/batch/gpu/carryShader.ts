/**
 * Steps of real time that go on with the contacts of the step before: their planes and ρ stay, and gaps follow the displacements of that step.
 */
import { COUPLED_SHARE } from '../contactSweeps.ts';
import { edgeEntry, entry } from './entries.ts';
import { CARRIES } from './flags.ts';
import { PAIR_LOADS } from './pairLayout.ts';
import { MARK, MARKS, STATUS } from './statusShader.ts';

export const carriedAccess: string = `/** True if contacts are those of the last step. */
fn isCarried() -> bool { return (P.flags & ${CARRIES}u) != 0; }
/** Compliance of node j + 1: a third of the trace. */
fn keepCompliance(j: u32, around: Compliance) {
  if (REAL_TIME) {
    pairs[pairAt(strandIndex, j, ${PAIR_LOADS + 2})].y = bitcast<u32>((around.yy[0].x + around.yy[1].y + around.yy[2].z) / 3);
  }
}
fn activeCountAt(j: u32) -> u32 {
  let bits = vec4u(contacts[activeAt(j)]);
  return countOneBits(bits.x) + countOneBits(bits.y) + countOneBits(bits.z) + countOneBits(bits.w);
}
/** Stiffness of contacts with obstacles, with the compliances of an earlier step: it only steers the iterations. */
fn weighCarried() {
  var before: f32 = 0;
  for (var j: u32 = 0; j < NODES - 1; j++) {
    let row = readPair(strandIndex, j, ${PAIR_LOADS + 2});
    if (any(contacts[activeAt(j)] != vec4f(0))) {
      for (var c: u32 = 0; c < firstPairOf(); c++) {
        if (isPushed(j, c)) {
          let part = readSlot(j, c, 2).w;
          let compliance = max(mix(before, row.y, part), 0.1 * row.y);
          let crowd = activeCountAt(j) + select(0u, activeCountAt(max(j, 1) - 1), j > 0);
          writeStiffness(j, c, ${COUPLED_SHARE} / (f32(crowd) * compliance));
        }
      }
    }
    before = row.y;
  }
}`;

/** In place of a search: `renew` takes over what is known of strands, `carry` the contacts of edges. */
export function carryEntries(workgroup: number): string {
  return `

${entry(
  workgroup,
  'renew',
  `if (id.x >= P.strands || !(P.contact.x > 0)) {
    return;
  }
  setStrand(id.x);
  atomicStore(&status[markAt(id.x, ${MARKS.marks})], marksOf(id.x) & ${MARK.coupled | MARK.dropped}u);
  atomicStore(&status[markAt(id.x, ${MARKS.change})], 0u);
  atomicStore(&status[markAt(id.x, ${MARKS.loaded})], 0u);`,
)}

${edgeEntry(
  'carry',
  `
    if (!isCoupled()) {
      continue;
    }
    var overlap: f32 = 0;
    var deep: u32 = 0;
    for (var k: u32 = 0; k < PAIR_SLOTS; k++) {
      let c = firstPairOf() + k;
      if (isPushed(j, c)) {
        let partner = partnerOf(strandIndex, j, k);
        let row = readSlot(j, c, 0);
        let part = readSlot(j, c, 2).w;
        let gap = row.w + dot(row.xyz, pairMove(j, part, partner));
        writeSlot(j, c, 0, vec4f(row.xyz, gap));
        writePairSlot(j, c, 3, vec4f(0, 0, 0, 1));
        overlap = max(overlap, -gap);
        if (isLowerOf(j, partner)) {
          deep += countDeep(j, EdgeName(partner.strand, partner.edge), gap);
        }
      }
    }
    if (deep > 0) {
      atomicAdd(&status[${STATUS.deep}], deep);
    }
    reportOverlap(overlap);`,
)}`;
}
