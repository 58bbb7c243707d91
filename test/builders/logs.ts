export * from '../../bench/log-client.ts';
