import { retractionContract } from '../contract/retractions.ts';

retractionContract('embedded');
