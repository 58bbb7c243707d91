import { mixedRowsProperty } from './mixed-rows.ts';

mixedRowsProperty('embedded', 150);
