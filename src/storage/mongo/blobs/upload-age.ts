const hourMs = 3_600_000;

/** An upload that took longer is refused at its end. */
export const uploadMs = 12 * hourMs;
/** Chunks without a file that are older belong to nobody any more: well above, so that no upload loses its own. */
export const orphanMs = 24 * hourMs;
