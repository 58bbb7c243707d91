import { openRateLimits } from '../../src/composition/shared.ts';
import { rateLimitContract } from '../contract/rate-limits.ts';

rateLimitContract('in memory', (rates) => openRateLimits({ rates, redis: null, onError: () => undefined }));
