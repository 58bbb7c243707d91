/** The context of VC Data Model 1.1. */
export const credentialsV1 = 'https://www.w3.org/2018/credentials/v1';

/** The context of VC Data Model 2.0, which defines the terms of proofs too. */
export const credentialsV2 = 'https://www.w3.org/ns/credentials/v2';
