/** Entry of the bundle for browsers: puts the functions where a page's evaluation finds them. */
import { hashOf, listSubjects } from './subject.ts';
import { findHashes, loadKernels } from './ways.ts';

Object.assign(globalThis, { determinism: { findHashes, hashOf, listSubjects, loadKernels } });
