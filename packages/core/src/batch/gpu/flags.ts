/** Flags of a dispatch: end the step, write positions, look for strands that pass through each other without a contact. */
export const FINISH = 1;
export const WRITE_POSITIONS = 2;
export const LOOK_FURTHER = 4;
