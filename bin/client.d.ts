import type { CairnOptions, Client } from '../src/client/client-types.d.ts';
import { Failure } from './record.js';

export type { components, paths } from '../src/client/api.d.ts';
export type { CairnOptions, UploadOptions } from '../src/client/client-types.d.ts';
export { Failure, type Recorded, type RecordedFile, type RecordOptions } from './record.js';

export type Cairn = Client;
/** @throws an Error for an address or a token that cannot be one. */
export declare const Cairn: new (options?: CairnOptions) => Client;

/** The `@context` of statements. */
export declare const context: string;

/** The service refused a request. The message is its own. */
export declare class ApiRefusal extends Failure {
  readonly status: number;
  /** The code of the error; empty if the answer did not come from a Cairn service. */
  readonly code: string;
  /** What is wrong with parts of the request. */
  readonly details: readonly object[];
}

/** The service cannot be reached, or the connection ended early. It may have done what was asked. */
export declare class LostConnection extends Failure {}
