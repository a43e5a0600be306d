/** The kernels' code, as `npm run build:kernels` made it. */
import { derWasm } from './generated/der.ts';

export function compileKernels(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(Uint8Array.from(atob(derWasm), (character) => character.charCodeAt(0)));
}
