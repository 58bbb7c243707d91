import { expect, test } from 'vitest';
import {
  type GovernedPolicyPorts,
  governedPolicy,
} from '../../src/domain/integrity/governance/policy-rules.ts';
import { parseCid } from '../../src/domain/integrity/identifiers/cid.ts';

test('a rule that an earlier version has taken stays a rule, so that nothing is certified without it', async () => {
  const cid = parseCid('baga6yaq6ecueyan57r77pbt76jdaphngc6iciiwshk5d4ew3cwpoilnvh72d4');
  const registered = { cid: cid.text, controlCids: [cid.text] };
  const document = { title: 'old', rule: { require: "now < timestamp('2026-12-31')" } };
  const ports = {
    governanceDocuments: { page: async () => ({ records: [registered] }) },
    blobs: { readSmall: async () => [document, document].map((one) => Buffer.from(JSON.stringify(one))) },
  } as unknown as GovernedPolicyPorts;
  expect((await governedPolicy(ports, cid))?.rules).toMatchObject({
    problems: [{ place: 'rules[0].require' }],
  });
});
