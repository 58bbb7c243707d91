import { element, section } from '../element.ts';
import { askDocument, blobAddress } from '../lineage/lineage-api.ts';
import { facts, identifiersIn } from './members.ts';
import { askNames } from './names.ts';
import { idsIn, typeOf } from './sentence.ts';
import { askStatements, type Json } from './statements-api.ts';

/** Documents whose content belongs to the statement: what it registers, and what is said about it. */
export async function attached(statement: Json, id: string): Promise<HTMLElement[]> {
  const own = { MetadataRegistration: 'metadata', GovernanceRegistration: 'document' }[typeOf(statement)];
  const about = await askStatements({ type: 'MetadataRegistration', subject: id, limit: '1' }).catch(
    () => undefined,
  );
  const documents = [
    ...(own ? idsIn(statement[own]).map((cid) => ['The document', cid] as const) : []),
    ...idsIn(about?.statements[0]?.statement.metadata).map((cid) => ['Described as', cid] as const),
  ];
  return await Promise.all(documents.map(async ([title, cid]) => await documentSection(title, cid)));
}

async function documentSection(title: string, cid: string): Promise<HTMLElement> {
  const document = await askDocument(cid).catch(() => undefined);
  const bytes = element('a', { href: blobAddress(cid) }, 'its bytes');
  const content =
    document === undefined
      ? element(
          'p',
          {},
          'It is not stored here as a small JSON document. See ',
          bytes,
          ', if they are stored.',
        )
      : element('div', { class: 'card' }, facts(document, await askNames(identifiersIn(document))));
  return section(title, content);
}
