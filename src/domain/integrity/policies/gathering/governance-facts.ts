import { isObject } from '../../../json/is-object.ts';
import { listOf } from '../../credentials/credential-shape.ts';
import { statementNode } from '../../lineage/edges.ts';
import type { ReferringStatement } from '../../statements/rows.ts';
import type { Fact, UnknownCode } from '../facts.ts';
import type { Knowledge } from './knowledge.ts';
import { bestStanding, goodSigners } from './signature-facts.ts';
import { inField } from './statements-about.ts';

/** What governance documents say about a thing. */
export interface GovernanceFacts {
  readonly reviews: readonly Fact<'review'>[];
  readonly declarations: readonly Fact<'declaration'>[];
  readonly certificates: readonly Fact<'certificate'>[];
  readonly memberships: readonly Fact<'membership'>[];
  /** Whether the document of one of them is not there, so that nobody knows what it says. */
  readonly lacksDocument: boolean;
}

/** @param registrations GovernanceRegistrations about the thing. */
export function governanceFacts(
  registrations: readonly ReferringStatement[],
  knowledge: Knowledge,
): GovernanceFacts {
  const reviews: Dated<Fact<'review'>>[] = [];
  const declarations: Fact<'declaration'>[] = [];
  const certificates: Fact<'certificate'>[] = [];
  const memberships: Fact<'membership'>[] = [];
  let lacksDocument = false;
  for (const registration of registrations) {
    const id = statementNode(registration);
    const [name = ''] = inField(registration, 'document');
    const document = knowledge.documents.of(name);
    lacksDocument ||= !knowledge.documents.isRead(name);
    if (!document) continue;
    const log = knowledge.logged(id);
    const { signatures, isCut } = knowledge.signed(id);
    const standing = standingOf(knowledge.supportOf(name), bestStanding(signatures));
    const isCredential = document.credentialSubject !== undefined;
    const unknown: Record<string, UnknownCode> = {
      ...(!log && { log: 'no_log_proof' }),
      ...(isCredential && standing === undefined && { standing: 'standing_unknown' }),
    };
    const said = {
      statements: [id],
      signatures,
      ...(isCut && { cut: ['signatures'] }),
      ...(log && { log }),
      ...(Object.keys(unknown).length > 0 && { unknown }),
    };
    const by = { ...text('by', document.submittedBy), ...text('at', document.submittedAt) };
    const controls = texts(document.controlCid);
    if (typeof document.decision === 'string') {
      const { decision, comment, declarationCid: about = '' } = document;
      const review = { decision, ...by, controls, ...text('comment', comment), ...said };
      const time = Date.parse(review.at ?? '') || (registration.time ?? 0);
      reviews.push({ fact: review, time, about: String(about) });
    } else if (document.controlCid !== undefined)
      declarations.push({ ...text('text', document.statement), ...by, controls, ...said });
    else if (isCredential) {
      const subject = isObject(document.credentialSubject) ? document.credentialSubject : {};
      const types = listOf(document.type).filter((type) => type !== 'VerifiableCredential');
      const credential = { ...(standing !== undefined && { standing }), ...said };
      const dates = {
        ...text('valid_from', document.validFrom),
        ...text('valid_until', document.validUntil),
      };
      if (types.includes('ProjectMembershipCredential'))
        memberships.push({ ...text('project', subject.project), roles: texts(subject.role), ...credential });
      else
        certificates.push({
          type: types.map(String).join(', '),
          ...text('policy', subject.policy),
          ...dates,
          ...credential,
        });
    }
  }
  return { reviews: withoutSuperseded(reviews), declarations, certificates, memberships, lacksDocument };
}

/** A certificate that would stand may rest on something that is not here. */
function standingOf(support: ReturnType<Knowledge['supportOf']>, own: string | undefined) {
  if (support === 'lost') return 'unsupported';
  return support === 'unknown' && own === 'good' ? undefined : own;
}

interface Dated<Item> {
  readonly fact: Item;
  readonly time: number;
  /** The declaration. */
  readonly about: string;
}

/**
 * The last review of each reviewer counts. Who does not say for whom they review, reviews for themselves. What nobody has signed
 * supersedes nothing that is signed.
 */
function withoutSuperseded(reviews: readonly Dated<Fact<'review'>>[]): Fact<'review'>[] {
  const last = new Map<string, Dated<Fact<'review'>>>();
  for (const one of reviews.toSorted((a, b) => a.time - b.time)) {
    const signers = [...goodSigners(one.fact.signatures ?? [])].sort();
    last.set(JSON.stringify([one.about, one.fact.by ?? signers[0] ?? '', signers]), one);
  }
  return [...last.values()].map(({ fact }) => fact);
}

function text<Name extends string>(name: Name, value: unknown): { readonly [Key in Name]?: string } {
  return typeof value === 'string' ? ({ [name]: value } as { [Key in Name]?: string }) : {};
}

function texts(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === 'string');
}
