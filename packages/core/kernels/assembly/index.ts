export { outcomeAddress, solvePair } from './newton';
