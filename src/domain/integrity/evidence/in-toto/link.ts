import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { jcs } from '../../identification/jcs.ts';
import type { Evidence, EvidenceKind, Thing } from '../evidence.ts';
import { below, shaped } from '../shaped.ts';
import { digests, resource, thingOf } from './resource.ts';

/** Larger environments and outputs stay in the original file. */
const mostSaid = 16_384;

const text = z.string();
/** Before v0.3, by path. */
const artifacts = z.record(text, digests);
const predicate = z.looseObject({
  name: text.nullish(),
  command: z.union([z.array(text), text]).nullish(),
  materials: z.union([z.array(resource), artifacts]).nullish(),
  byproducts: z.looseObject({}).nullish(),
  environment: z.looseObject({}).nullish(),
});

type Artifacts = z.output<typeof predicate>['materials'];

/** A link as a predicate (v0.3, and v1 before it). @throws EvidenceProblem. */
export function readLinkPredicate(link: object, products: readonly Thing[]): Evidence {
  return readLink(link, products, '/predicate');
}

/** What a step of in-toto has done, from materials to products. */
function readLink(link: object, products: readonly Thing[], place = ''): Evidence {
  const { name, command, materials, byproducts, environment } = shaped(
    predicate,
    link,
    'The in-toto link',
    place,
  );
  const words = typeof command === 'string' ? [command] : (command ?? []);
  const code = byproducts?.['return-value'];
  const said = { byproducts, environment };
  const metadata = Object.fromEntries(
    Object.entries(said).filter(([, value]) => value && hasFew(value) && Object.keys(value).length > 0),
  );
  const facts = {
    name: name || words.join(' ') || 'in-toto step',
    ...(words.length > 0 && { command: words }),
    ...(typeof code === 'number' && Number.isInteger(code) && { exit_code: code }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  return { about: [], steps: [{ inputs: thingsOf(materials), outputs: products, facts }] };
}

/** Link metadata of in-toto 0.9 and 1.0, with its products. */
const linkMetadata = z.looseObject({ _type: z.literal('link'), name: text.min(1), products: artifacts });

export function isLink({ _type: type }: JsonObject): boolean {
  return type === 'link';
}

export function isLayout({ _type: type }: JsonObject): boolean {
  return type === 'layout';
}

/** @throws EvidenceProblem. */
export function readLinkMetadata(document: JsonObject): Evidence {
  const { products } = shaped(linkMetadata, document, 'The in-toto link');
  return readLink(document, thingsOf(products));
}

const signedLink = z.looseObject({
  signed: z.looseObject({ _type: z.literal('link') }),
  signatures: z.array(z.looseObject({ keyid: text, sig: text })),
});

/** Files `*.link` of `in-toto-run`. Their signatures are over a form of JSON of their own, and are not checked. */
export const inTotoLink: EvidenceKind = {
  name: 'in-toto-link',
  title: 'in-toto link metadata',
  recognises: ({ signed }) => isObject(signed) && isLink(signed),
  read: (document) => {
    const { signed } = shaped(signedLink, document, 'The in-toto link');
    return below('/signed', () => readLinkMetadata(signed));
  },
};

function thingsOf(given: Artifacts): Thing[] {
  if (!given) return [];
  const list: readonly z.output<typeof resource>[] = Array.isArray(given)
    ? given
    : Object.entries(given).map(([path, digest]) => ({ name: path, digest }));
  return list.filter(({ name, uri, digest }) => name || uri || digest).map(thingOf);
}

function hasFew(value: object): boolean {
  return jcs(value).length <= mostSaid;
}
