import { messageOf } from '../../errors.ts';
import { quoted, refuse } from '../proof-error.ts';
import { keyTypes, parseVkey, type Vkey } from './vkey.ts';

/** Which logs and witnesses somebody trusts, and how many of these (c2sp.org/tlog-policy). */
export interface Policy {
  readonly logs: readonly { readonly vkey: Vkey; readonly url: string | null }[];
  readonly witnesses: readonly PolicyWitness[];
  /** In order: a group has witnesses, and groups before it. */
  readonly groups: readonly PolicyGroup[];
  /** The name of a witness or group, or `none`. */
  readonly quorum: string;
}

/** Names are octets, one for each character, so that any two different names stay different. */
interface PolicyWitness {
  readonly name: string;
  readonly vkey: Vkey;
  readonly url: string | null;
}

interface PolicyGroup {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

const none = 'none';

/** Trusts every checkpoint of a known log. */
export const noWitnesses: Policy = { logs: [], witnesses: [], groups: [], quorum: none };

export function isMet({ witnesses, groups, quorum }: Policy, cosigners: readonly Vkey[]): boolean {
  const isCosigner = ({ vkey }: PolicyWitness) =>
    cosigners.some(({ name, keyId }) => name === vkey.name && keyId === vkey.keyId);
  const met = new Set([none, ...witnesses.filter(isCosigner).map(({ name }) => name)]);
  for (const { name, threshold, members } of groups)
    if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);
  return met.has(quorum);
}

const mostBytes = 65_536;

/** @throws LogProofError `malformed` with the number of the line, `too_large` */
export function parsePolicy(input: Uint8Array | string): Policy {
  if (input.length > mostBytes) refuse('too_large', `The policy has more than ${mostBytes} bytes.`);
  const draft = new Draft();
  for (const [index, line] of Buffer.from(input).toString('latin1').split('\n').entries()) {
    const fail = (problem: string): never => refuse('malformed', `Line ${index + 1}: ${problem}`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(line)) fail('It has a control character. Only tabs are allowed.');
    const items = line.split(/[\t ]+/).filter((item) => item !== '');
    if (items.length > 0 && !items[0]?.startsWith('#')) draft.add(items, fail);
  }
  return draft.finished();
}

type Fail = (problem: string) => never;

class Draft {
  readonly #logs: Policy['logs'][number][] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #groups: PolicyGroup[] = [];
  readonly #names = new Set<string>();
  readonly #members = new Set<string>();
  #quorum: string | undefined;

  add([keyword = '', ...items]: readonly string[], fail: Fail): void {
    if (keyword === 'log') this.#addLog(items, fail);
    else if (keyword === 'witness') this.#addWitness(items, fail);
    else if (keyword === 'group') this.#addGroup(items, fail);
    else if (keyword === 'quorum') this.#setQuorum(items, fail);
    else fail(`${quoted(keyword)} is unknown. A line starts with log, witness, group, quorum or #.`);
  }

  finished(): Policy {
    if (this.#quorum === undefined)
      return refuse('malformed', 'The policy has no quorum line. Write "quorum none" to require no witness.');
    return { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups, quorum: this.#quorum };
  }

  #addLog([text = '', url, ...more]: readonly string[], fail: Fail): void {
    if (more.length > 0) fail('A log has a key and at most a URL.');
    const vkey = keyOf(text, fail);
    if (vkey.type === keyTypes.ed25519Cosigner) fail(`The key of ${vkey.name} is one of a witness.`);
    if (isListed(vkey, this.#logs)) fail(`The key of ${vkey.name} stands in an earlier log line.`);
    this.#logs.push({ vkey, url: url ?? null });
  }

  #addWitness([name = '', text = '', url, ...more]: readonly string[], fail: Fail): void {
    if (more.length > 0) fail('A witness has a name, a key and at most a URL.');
    const vkey = keyOf(text, fail);
    if (vkey.type === keyTypes.ed25519) fail(`The key of ${vkey.name} is one of a log, not of a witness.`);
    if (isListed(vkey, this.#witnesses)) fail(`The key of ${vkey.name} stands in an earlier witness line.`);
    this.#witnesses.push({ name: this.#define(name, fail), vkey, url: url ?? null });
  }

  #addGroup([name = '', count = '', ...members]: readonly string[], fail: Fail): void {
    if (members.length === 0) fail('A group has a name, a number or "all" or "any", and members.');
    for (const member of members) {
      if (!this.#names.has(member)) fail(`${quoted(member)} is not defined on an earlier line.`);
      if (this.#members.has(member)) fail(`${quoted(member)} is a member of a group already.`);
      this.#members.add(member);
    }
    const threshold = thresholdOf(count, members.length);
    if (threshold === undefined)
      fail(`${quoted(count)} must be "all", "any" or a number from 1 to ${members.length}.`);
    else this.#groups.push({ name: this.#define(name, fail), threshold, members });
  }

  #setQuorum([name = '', ...more]: readonly string[], fail: Fail): void {
    if (more.length > 0 || name === '') fail('A quorum line has one name.');
    if (this.#quorum !== undefined) fail('There is a quorum line already.');
    if (name !== none && !this.#names.has(name)) fail(`${quoted(name)} is not defined on an earlier line.`);
    this.#quorum = name;
  }

  #define(name: string, fail: Fail): string {
    if (name === none || this.#names.has(name)) fail(`The name ${quoted(name)} is taken.`);
    this.#names.add(name);
    return name;
  }
}

function thresholdOf(count: string, members: number): number | undefined {
  if (count === 'all') return members;
  if (count === 'any') return 1;
  const threshold = /^[1-9]\d*$/.test(count) ? Number(count) : 0;
  return threshold >= 1 && threshold <= members ? threshold : undefined;
}

function isListed({ publicKey }: Vkey, lines: readonly { readonly vkey: Vkey }[]): boolean {
  return lines.some(({ vkey }) => Buffer.compare(vkey.publicKey, publicKey) === 0);
}

function keyOf(octets: string, fail: Fail): Vkey {
  try {
    return parseVkey(Buffer.from(octets, 'latin1').toString('utf8'));
  } catch (error) {
    return fail(messageOf(error));
  }
}
