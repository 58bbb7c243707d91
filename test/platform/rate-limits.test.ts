import { openRateLimits } from '../../src/composition/rate-limits.ts';
import { rateLimitContract } from '../contract/rate-limits.ts';

rateLimitContract('in memory', (rates) => openRateLimits({ rates, redis: null, onError: () => undefined }));
