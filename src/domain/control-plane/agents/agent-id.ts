import { base32 } from 'multiformats/bases/base32';
import { sha256Digest } from '../../integrity/identifiers/hashing.ts';

const prefix = 'agent_';
const domain = 'cairn-agent-id/v1';
/** 160 bits. */
const idBytes = 20;

interface NamedAgent {
  readonly issuer: string;
  readonly subject: string;
  readonly handle: string;
}

/**
 * The id of the agent of a subject with a handle: `agent_`, and the first 20 bytes of a SHA-256 in lower-case base32
 * (RFC 4648, section 6). Hashed are the canonical JSON (RFC 8785) of `["cairn-agent-id/v1", issuer, subject, handle]`,
 * with the handle in Unicode normalization form C. Other subjects have other ids, so nobody can take over an agent.
 */
export function agentIdOf({ issuer, subject, handle }: NamedAgent): string {
  // For a list of texts, JSON.stringify is canonical.
  const named = JSON.stringify([domain, issuer, subject, handle.normalize('NFC')]);
  return idOf(sha256Digest(named).subarray(0, idBytes));
}

/** The id of an agent without a handle: `agent_` and 160 random bits. */
export function randomAgentId(): string {
  return idOf(crypto.getRandomValues(new Uint8Array(idBytes)));
}

function idOf(bytes: Uint8Array): string {
  return prefix + base32.encode(bytes).slice(base32.prefix.length);
}
