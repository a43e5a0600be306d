/** Entry points of contact between strands, with a thread per strand or per edge. */
import { overItems } from './searchShader.ts';

/** With one thread per strand of a list. */
export function entry(workgroup: number, name: string, body: string): string {
  return `
@compute @workgroup_size(${workgroup})
fn ${name}(@builtin(global_invocation_id) id: vec3u) {
  ${body}
}`;
}

/** An entry point with one thread per edge j. Neighbouring threads have neighbouring strands, so that they read neighbouring addresses. */
export function edgeEntry(name: string, body: string): string {
  return overItems(
    name,
    'EDGE_ITEMS',
    `
    let strand = (item / (LANES * (NODES - 1))) * LANES + item % LANES;
    let j = (item / LANES) % (NODES - 1);
    if (strand >= STRANDS) {
      continue;
    }
    setStrand(strand);
    pressed = true;
    sumsLoads = true;
    loads = Loads();
    openEdge(j);${body}`,
  );
}
