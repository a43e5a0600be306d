/** Starts the longest test files first, so that no worker is left alone with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** In the order of their duration; those below 20 s come in the order of vitest. */
const longest = [
  'studio/test/groom',
  'cases/test/cases',
  'sweep/test/queue',
  'io/test/gpu',
  'studio/test/files',
  'studio/test/work',
  'studio/test/page',
  'studio/test/run',
  'cli/test/groom',
  'core/test/threads/contact',
  'cli/test/faults',
  'cli/test/report',
  'test/examples',
  'cli/test/run.',
  'cli/test/command',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((name) => moduleId.includes(name));
      return at < 0 ? longest.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
