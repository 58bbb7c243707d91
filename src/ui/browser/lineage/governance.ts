import type { GovernanceStatusesAnswer } from '../../../contract/integrity/governance.ts';
import { certificateReasons } from '../../../contract/words/certificates.ts';
import { bareId, shortId } from '../../../contract/words/text.ts';
import type { Tone } from '../../../contract/words/trust.ts';
import { askJson, Failure, sentenceOf } from '../api.ts';
import { badge } from '../badge.ts';
import { element, part } from '../element.ts';
import { askNames } from '../statements/names.ts';
import {
  foreignText,
  graphAddress,
  isIdentifier,
  type Names,
  thingWithId,
} from '../statements/shown-text.ts';
import { askDocument, blobAddress } from './lineage-api.ts';

const decisionTones: Readonly<Record<string, Tone>> = {
  approved: 'good',
  rejected: 'bad',
  changes_requested: 'warning',
};
const standingTones: Readonly<Record<string, Tone>> = {
  valid: 'good',
  revoked: 'bad',
  suspended: 'warning',
  not_yet_valid: 'warning',
  expired: 'warning',
  unsupported: 'bad',
  unknown: 'warning',
};
/** Projects and rows beyond these are only counted. */
const mostProjects = 5;
const mostRows = 30;

/** What was declared, reviewed and certified about the selected node. It is hidden if there is nothing. */
export class Governance {
  /** For the details of a node. */
  readonly box = part('governance');
  readonly #content = part('standing');
  readonly #known = new Map<string, Promise<readonly Node[]>>();
  #shown = '';

  /** @param id a CID or a DID. Other identifiers have no governance. */
  async show(id: string): Promise<void> {
    if (id === this.#shown) return;
    this.#shown = id;
    this.box.hidden = true;
    if (!/^(?:urn:cid:|did:)/.test(id)) return;
    const asked = this.#known.get(id) ?? read(id);
    this.#known.set(id, asked);
    try {
      const content = await asked;
      if (this.#shown !== id) return;
      this.#content.replaceChildren(...content);
      this.box.hidden = content.length === 0;
    } catch (error) {
      this.#known.delete(id);
      const isRefusal = error instanceof Failure && error.status >= 400 && error.status < 500;
      if (isRefusal || this.#shown !== id) return;
      this.#content.replaceChildren(element('p', {}, sentenceOf(error)));
      this.box.hidden = false;
    }
  }
}

async function read(id: string): Promise<readonly Node[]> {
  const address = `/gov/v1/status/${encodeURIComponent(id)}`;
  const projects = (await askJson<GovernanceStatusesAnswer>(address)).projects.filter(
    ({ declarations, controls, certificates }) =>
      declarations.length + controls.length + certificates.length > 0,
  );
  const first = projects.slice(0, mostProjects);
  const reviews = first.flatMap(({ controls, declarations }) => [
    ...declarations,
    ...[...declarations, ...controls].map(({ review }) => review),
  ]);
  const names = await askNames([
    ...first.map(({ project }) => `urn:uuid:${project}`),
    ...reviews.map((one) => one?.submittedBy).filter(isIdentifier),
  ]);
  const shown = await Promise.all(first.map((one) => projectSection(one, names)));
  const rest = projects.length - shown.length;
  return rest > 0 ? [...shown, element('p', {}, `${rest} more projects have something about it.`)] : shown;
}

async function projectSection(
  { project, declarations, controls, certificates }: ProjectGovernance,
  names: Names,
) {
  const declarationOf = new Map(declarations.map((one) => [one.documentCid, one]));
  const undirected = declarations.filter(({ controlCids }) => controlCids.length === 0);
  const rows = [
    ...controls.map(
      ({ controlCid, declarationCid, review }) =>
        async () =>
          controlRow(await titleOf(controlCid), declarationOf.get(declarationCid ?? ''), review, names),
    ),
    ...undirected.map((one) => async () => controlRow('No control', one, one.review, names)),
    ...certificates.map((one) => async () => await certificateRow(one)),
  ];
  const items = await Promise.all(rows.slice(0, mostRows).map((row) => row()));
  const rest = rows.length - items.length;
  return element(
    'section',
    {},
    element('h3', {}, 'In the project ', projectLink(project, names)),
    element('ul', {}, ...items, rest > 0 && element('li', {}, `${rest} more`)),
  );
}

function projectLink(project: string, names: Names) {
  const name = names.get(`urn:uuid:${project}`);
  const shown = name === undefined ? element('code', {}, project) : foreignText(name);
  return element('a', { href: graphAddress(project), title: project }, shown);
}

async function controlRow(
  title: string,
  declaration: Declaration | undefined,
  review: Review | null,
  names: Names,
) {
  const text = declaration && (await documentOf(declaration.documentCid))?.statement;
  const by = (what: string, { submittedBy, submittedAt }: Declaration | Review) => {
    const date = day(submittedAt);
    const who = submittedBy
      ? [' by ', isIdentifier(submittedBy) ? thingWithId(submittedBy, names) : foreignText(submittedBy)]
      : [];
    return element('span', { class: 'by' }, what, ...who, date && `${submittedBy ? ',' : ''} ${date}`);
  };
  const mark = review
    ? badge(decisionTones[review.decision] ?? 'plain', review.decision.replaceAll('_', ' '))
    : badge('plain', 'not reviewed');
  return element(
    'li',
    {},
    element('div', { class: 'vouched' }, mark, element('b', {}, title)),
    typeof text === 'string' && element('p', {}, text.slice(0, 500)),
    declaration && by('Declared', declaration),
    review !== null && by('Reviewed', review),
  );
}

async function certificateRow(certificate: Certificate) {
  const { kind, standing, sourceCid, policyCid, validUntil } = certificate;
  const title = policyCid === null ? 'Membership' : `Certificate: ${await titleOf(policyCid)}`;
  const mark = badge(standingTones[standing] ?? 'plain', standing.replaceAll('_', ' '));
  const until = `${standing === 'expired' ? 'Expired' : 'Valid until'} ${day(validUntil)}`;
  return element(
    'li',
    {},
    element('div', { class: 'vouched' }, mark, element('b', {}, title)),
    element('span', { class: 'by' }, until),
    ...certificateReasons(certificate).map((reason) => element('p', {}, reason)),
    element('a', { href: blobAddress(sourceCid) }, `The ${kind} credential`),
  );
}

/** The title of a policy or a control. */
async function titleOf(cid: string): Promise<string> {
  const document = await documentOf(cid);
  const title = document?.title ?? document?.name;
  return typeof title === 'string' && title.trim() !== '' ? title.slice(0, 200) : shortId(bareId(cid));
}

function day(time: string | null): string {
  return time === null ? '' : new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

type ProjectGovernance = GovernanceStatusesAnswer['projects'][number];
type Declaration = ProjectGovernance['declarations'][number];
type Review = NonNullable<Declaration['review']>;
type Certificate = ProjectGovernance['certificates'][number];

/** A JSON document; undefined if the reader cannot see it. */
async function documentOf(cid: string) {
  return await askDocument(cid).catch(() => undefined);
}
