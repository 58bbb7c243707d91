import type { ObjectId } from 'mongodb';

const prefix = 'uploading:';

/** What a file is called until it is complete. */
export function temporaryName(id: ObjectId): string {
  return `${prefix}${id}`;
}

export function isTemporary(filename: unknown): boolean {
  return typeof filename === 'string' && filename.startsWith(prefix);
}
