import { retractionContract } from '../contract/retractions.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('on MongoDB', () => retractionContract('mongodb'));
