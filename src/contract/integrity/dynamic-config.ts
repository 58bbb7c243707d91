import { z } from 'zod';
import { runTimeLimitBounds } from '../../domain/integrity/dynamic-config.ts';

const limit = z.int().min(runTimeLimitBounds.min).max(runTimeLimitBounds.max);

export const dynamicConfig = z
  .strictObject({ blob_store_fetch_concurrency_limit: limit, blob_store_write_concurrency_limit: limit })
  .meta({ id: 'DynamicConfig' });

export const dynamicConfigChange = dynamicConfig.partial().meta({ id: 'DynamicConfigChange' });

export type DynamicConfigAnswer = z.output<typeof dynamicConfig>;
