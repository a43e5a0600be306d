/** Platform features that kernels need, in Node and browsers alike; core is compiled without the types of either. */
declare namespace WebAssembly {
  class Module {
    private readonly brand: never;
  }
  class Memory {
    constructor(options: { readonly initial: number });
    readonly buffer: ArrayBuffer;
    /** By pages of 64 KiB; the buffer is another one then. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
declare function atob(text: string): string;
declare function setTimeout(action: (value: unknown) => void, milliseconds: number): unknown;
declare const performance: { now(): number };
