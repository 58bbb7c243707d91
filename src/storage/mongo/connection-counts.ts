import type { MongoClient } from 'mongodb';
import type { ConnectionCounts } from '../store.ts';

/** Counts the connections of a client by its pool events, from before it connects. */
export function countConnections(client: MongoClient): () => ConnectionCounts {
  const counts = { open: 0, used: 0, waiting: 0, failures: 0 };
  client.on('connectionCreated', () => {
    counts.open += 1;
  });
  client.on('connectionClosed', () => {
    counts.open -= 1;
  });
  client.on('connectionCheckOutStarted', () => {
    counts.waiting += 1;
  });
  client.on('connectionCheckedOut', () => {
    counts.waiting -= 1;
    counts.used += 1;
  });
  client.on('connectionCheckOutFailed', () => {
    counts.waiting -= 1;
    counts.failures += 1;
  });
  client.on('connectionCheckedIn', () => {
    counts.used -= 1;
  });
  return () => ({ limit: client.options.maxPoolSize, ...counts });
}
