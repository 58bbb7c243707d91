import { eachRecord, firstRecord } from '../../collections/records.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { type Cid, parseCid } from '../identifiers/cid.ts';
import { type PolicyReading, policyOf } from '../policies/read-policy.ts';
import type { BlobStore } from '../ports.ts';
import type { GovernanceDocuments } from './governance-records.ts';

export interface GovernedPolicyPorts {
  readonly governanceDocuments: Pick<GovernanceDocuments, 'page'>;
  readonly blobs: Pick<BlobStore, 'readSmall'>;
}

/** A policy that was registered with controls. */
export interface GovernedPolicy {
  readonly cid: string;
  readonly controlCids: readonly string[];
  /** What its controls demand of evidence; undefined if they carry no rules. An earlier version may have taken rules with problems. */
  readonly rules: PolicyReading | undefined;
}

/**
 * The rules in the member `rule` of controls, as a policy: `signers` and `log` come from the policy, and a rule without a name has the
 * title of its control. Undefined if no control has a rule.
 */
export function rulesIn(policy: JsonObject, controls: readonly JsonObject[]): PolicyReading | undefined {
  const rules = controls.flatMap(({ rule, title, name }) =>
    isObject(rule) ? [{ name: title ?? name, ...rule }] : [],
  );
  if (rules.length === 0) return undefined;
  const { title, name, signers, log } = policy;
  return policyOf({
    cairn: 'policy/1',
    name: title ?? name,
    ...(signers !== undefined && { signers }),
    ...(log !== undefined && { log }),
    rules,
  });
}

/** Documents of governance are at most this large. */
const documentLimit = 1 << 20;

/** A registered policy with the controls that it was registered with first; undefined if it was not registered here. */
export async function governedPolicy(
  { governanceDocuments, blobs }: GovernedPolicyPorts,
  { text: cid }: Cid,
): Promise<GovernedPolicy | undefined> {
  const controlCids = await controlsOfPolicy({ governanceDocuments }, cid);
  if (!controlCids) return undefined;
  const found = await blobs.readSmall([cid, ...controlCids].map(parseCid), documentLimit);
  const [policy, ...controls] = found.map((bytes) => bytes && JSON.parse(Buffer.from(bytes).toString()));
  const reading = isObject(policy) ? rulesIn(policy, controls.filter(isObject)) : undefined;
  const rules = reading && 'policy' in reading ? { policy: { ...reading.policy, cid } } : reading;
  return { cid, controlCids, rules };
}

/** The controls that a policy was registered with first; undefined if it was not registered here. */
export async function controlsOfPolicy(
  { governanceDocuments }: Pick<GovernedPolicyPorts, 'governanceDocuments'>,
  cid: string,
): Promise<readonly string[] | undefined> {
  return (await firstRecord(governanceDocuments, 'byCid', ['policy', cid]))?.controlCids;
}

/** The registered policies that are named, or of which a control is, by the time of their last registration. */
export async function policiesNamed(
  { governanceDocuments }: Pick<GovernedPolicyPorts, 'governanceDocuments'>,
  named: ReadonlySet<string | null>,
): Promise<ReadonlyMap<string, number>> {
  const registered = new Map<string, number>();
  for await (const { cid, controlCids, createdAt } of eachRecord(governanceDocuments, 'byCid', ['policy']))
    if ([cid, ...controlCids].some((one) => named.has(one))) registered.set(cid, createdAt);
  return registered;
}
