import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, type JWTPayload, jwtDecrypt } from 'jose';

const wrapping = 'dir';
const encryption = 'A256GCM';

/**
 * Encrypts data that leaves this process and returns to any process with the same secret. Data that was sealed for one
 * purpose does not open for another.
 */
export class Seal {
  /** Names the secret without revealing it. Equal secrets have equal names. */
  readonly secretId: string;
  readonly #key: Uint8Array;
  readonly #now: () => Date;

  constructor(secret: string, purpose: string, now: () => Date) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', `cairn ${purpose}`, 32));
    this.secretId = Buffer.from(hkdfSync('sha256', secret, '', 'cairn name of the secret', 16)).toString(
      'hex',
    );
    this.#now = now;
  }

  /** @param seconds lifetime of the result. */
  async seal(content: JWTPayload, seconds: number): Promise<string> {
    const time = Math.floor(this.#now().getTime() / 1_000);
    return await new EncryptJWT({ ...content, exp: time + seconds })
      .setProtectedHeader({ alg: wrapping, enc: encryption })
      .encrypt(this.#key);
  }

  /** Undefined if the text was not sealed for this purpose, was changed, or has expired. */
  async open(sealed: string): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.#key, {
        keyManagementAlgorithms: [wrapping],
        contentEncryptionAlgorithms: [encryption],
        requiredClaims: ['exp'],
        currentDate: this.#now(),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
}
