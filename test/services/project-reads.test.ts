import { mixedRowsProperty } from '../http/control-plane/projects/mixed-rows.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('project reads on MongoDB', () => mixedRowsProperty('mongodb', 25));
