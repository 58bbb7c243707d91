import { z } from 'zod';

export const text = z.string();
export const utcTime = z.iso.datetime({ error: 'must be a UTC time, such as "2026-01-31T12:00:00Z"' });

export function oneOf(words: string) {
  const values = words.split(/\s+/).filter(Boolean);
  const known = new Set(values);
  const error = ({ input }: { readonly input?: unknown }) =>
    `is "${String(input).slice(0, 100)}", and must be one of ${values.join(', ')}`;
  return z.string({ error }).refine((value) => known.has(value), { error });
}
