import { lineageEventsContract } from '../contract/lineage-events.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('on MongoDB', () => lineageEventsContract('mongodb'));
