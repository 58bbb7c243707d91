import { lineageEventsContract } from '../contract/lineage-events.ts';

lineageEventsContract();
