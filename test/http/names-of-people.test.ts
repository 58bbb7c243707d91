import { namesOfPeopleContract } from '../contract/names-of-people.ts';

namesOfPeopleContract('embedded');
