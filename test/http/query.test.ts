import { describe, expect, test } from 'vitest';
import { walk } from './api-walk.ts';
import { send, useService } from './service.ts';

const service = useService();

describe('query parameters', () => {
  test('that an operation does not know are refused, whatever the operation', async () => {
    const operations = await walk(service);
    expect(operations.length).toBeGreaterThan(40);
    for (const { name, parameters } of operations) {
      const [method = '', template = ''] = name.split(' ');
      const path = template.replaceAll(/\{\w+\}/g, 'x');
      const { status, json } = await send(service, method, `${path}?no_such_thing=1`);
      const names = parameters.filter(({ in: place }) => place === 'query').map((one) => one.name);
      const known = names.length === 0 ? 'There are none here.' : `There are ${names.join(', ')}.`;
      expect({ name, status, error: json?.error }).toEqual({
        name,
        status: 400,
        error: `There is no query parameter "no_such_thing". ${known}`,
      });
    }
  });

  test.each([
    ['registeredBy', 'registered_by'],
    ['registerd_by', 'registered_by'],
    ['afer', 'after'],
  ])('a refusal of %s names %s', async (given, meant) => {
    const { status, json } = await send(service, 'GET', `/statements/v1?${given}=x`);
    expect([status, json.code]).toEqual([400, 'invalid_request']);
    expect(json.error).toContain(`There is no query parameter "${given}". Did you mean ${meant}?`);
    expect(json.details).toEqual([{ parameter: given, reason: 'unknown' }]);
  });
});
