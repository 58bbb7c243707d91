import { namesOfPeopleContract } from '../contract/names-of-people.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('on MongoDB', () => namesOfPeopleContract('mongodb'));
