/** The kernels' code, written by `npm run build:kernels`. */
import { derWasm } from './generated/der.ts';

export function compileKernels(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(Uint8Array.from(atob(derWasm), (character) => character.charCodeAt(0)));
}
