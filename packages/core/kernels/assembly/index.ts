export { outcomeAddress, solvePair } from './newton';
export { beginStep, stagePair } from './step';
export { solveBlocks } from './blocks';
export { factorSymmetric, solveSymmetric } from './symmetric';
export { assembleFibers, moveFibers } from './fibers';
export { contactOutcomeAddress, stepPairInContact } from './contact';
