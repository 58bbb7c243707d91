import type { ObjectId } from 'mongodb';

const prefix = 'uploading:';

/** The name of an incomplete file. */
export function temporaryName(id: ObjectId): string {
  return `${prefix}${id}`;
}

export function isTemporary(filename: unknown): boolean {
  return typeof filename === 'string' && filename.startsWith(prefix);
}
