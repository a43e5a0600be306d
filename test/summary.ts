/** The last line of a test run: `N passed, N failed`, alone, for programs that read it. */
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** A file that cannot be loaded and an error outside any test count as one failure each. */
function count(modules: readonly TestModule[], unhandled: readonly SerializedError[]): string {
  let passed = 0;
  let failed = unhandled.length;
  for (const module of modules) {
    failed += module.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed++;
      if (state === 'failed') failed++;
    }
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
  }
  return `${passed} passed, ${failed} failed\n`;
}

export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const line = count(modules, unhandled);
    // after everything that other reporters still have to say
    process.once('exit', () => process.stdout.write(line));
  }
}
