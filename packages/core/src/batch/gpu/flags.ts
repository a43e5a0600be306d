/** Flags of a dispatch: ends the step, writes positions, looks for strands that pass where no contact was expected. */
export const FINISH = 1;
export const WRITE_POSITIONS = 2;
export const LOOK_FURTHER = 4;
