/** Flags of a dispatch: end the step, write positions, look for strands that pass through each other without a contact, go on with the contacts of the last step. */
export const FINISH = 1;
export const WRITE_POSITIONS = 2;
export const LOOK_FURTHER = 4;
export const CARRIES = 8;
