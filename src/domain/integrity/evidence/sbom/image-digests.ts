import type { Evidence, Thing } from '../evidence.ts';

/** As in `r.example/app@sha256:…`, and in package URLs such as `pkg:oci/app@sha256%3A…?arch=amd64`. */
const digestInName = /@sha256(?::|%3A)([0-9a-f]{64})(?:[?#]|$)/i;

/**
 * Scanners give the digest of an image in its name or its package URL only. What has this digest includes the product, so that the
 * bill of materials meets what others say about the image. It comes in addition: the product keeps its name.
 */
export function withImageDigests(evidence: Evidence): Evidence {
  const { about, wholes } = evidence;
  if (!wholes) return evidence;
  const known = new Set(about.map(({ digests }) => digests?.sha256));
  const images = about.flatMap((product) => {
    const sha256 = product.digests?.blake3 ? undefined : digestInNamesOf(product);
    if (sha256 === undefined || known.has(sha256)) return [];
    const parts = wholes.filter(({ whole }) => whole === product).flatMap((one) => one.parts);
    return [{ whole: { digests: { sha256 } }, parts: [product, ...parts] }];
  });
  if (images.length === 0) return evidence;
  return {
    ...evidence,
    about: [...about, ...images.map(({ whole }) => whole)],
    wholes: [...wholes, ...images],
  };
}

function digestInNamesOf({ name = '', reference }: Thing): string | undefined {
  const [found] = [reference?.name ?? '', name].flatMap((text) => digestInName.exec(text)?.[1] ?? []);
  return found?.toLowerCase();
}
