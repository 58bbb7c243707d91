import { commands, type FactShapes, id, signed, statements } from './shared-fields.ts';

export const computationsFacts = {
  computation: {
    id: id("made_by.exists(c, c.id != '')"),
    command: {
      type: 'string',
      says: 'The command, with spaces between its words.',
      example: "made_by.all(c, c.command.startsWith('python '))",
    },
    parameters: {
      type: 'values',
      says: 'The parameters, by name. Those of nested files are joined.',
      example: 'made_by.all(c, c.parameters.seed == 7)',
      command: commands.parameters,
    },
    metrics: {
      type: 'values',
      says: 'The metrics, by name.',
      example: 'made_by.exists(c, c.metrics.accuracy > 0.9)',
      command: commands.metrics,
    },
    exit_code: {
      type: 'int',
      says: 'What the command answered.',
      example: 'made_by.all(c, c.exit_code == 0)',
      command: commands.record,
    },
    result: {
      type: 'string',
      says: "'succeeded' or 'failed', as its page shows it. A run that was aborted has failed.",
      example: "made_by.all(c, c.result == 'succeeded')",
    },
    inputs: {
      type: 'list(artefact)',
      says: 'What went in.',
      example: "made_by.all(c, c.inputs.exists(i, i.kind == 'dataset'))",
    },
    outputs: {
      type: 'list(string)',
      says: 'The identifiers of what came out.',
      example: 'made_by.all(c, size(c.outputs) < 10)',
    },
    programs: {
      type: 'list(string)',
      says: 'The identifiers of the programs.',
      example: 'made_by.all(c, size(c.programs) > 0)',
    },
    started: {
      type: 'timestamp',
      says: 'When it began, as its registrant says.',
      example: "made_by.all(c, now - c.started < duration('720h'))",
    },
    ended: {
      type: 'timestamp',
      says: 'When it ended, as its registrant says.',
      example: 'made_by.all(c, c.ended > c.started)',
    },
    agent: {
      type: 'agent',
      says: 'Who ran it.',
      example: "made_by.all(c, c.agent.id.startsWith('did:key:'))",
    },
    ...signed('made_by[0]', commands.signStored),
  },
  agent: {
    id: id("agents.all(a, a.id.startsWith('did:'))"),
    name: { type: 'string', says: 'Its name.', example: "agents.exists(a, a.name == 'CI')" },
    operated: {
      type: 'list(string)',
      says: 'Those of the computations behind the subject that it ran. If the agent itself is the subject, they are not read.',
      example: 'agents.all(a, size(a.operated) > 0)',
    },
    memberships: {
      type: 'list(membership)',
      says: 'Its memberships in projects.',
      command: commands.admit,
      example: "agents.all(a, a.memberships.exists(m, m.standing == 'good'))",
    },
    exchanges: {
      type: 'list(exchange)',
      says: 'Its recorded exchanges with models in projects of the operator, as an administrator sees them at a service.',
      example: "agents.all(a, a.exchanges.all(e, e.status != 'denied'))",
    },
    statements: statements('agents.all(a, size(a.statements) > 0)'),
  },
  exchange: {
    id: id("agents.all(a, a.exchanges.all(e, e.id != ''))"),
    name: {
      type: 'string',
      says: 'The model that was called.',
      example: "agents.all(a, a.exchanges.all(e, e.name != ''))",
    },
    status: {
      type: 'string',
      says: 'How it ended.',
      oneOf: ['ok', 'error', 'denied'],
      example: "agents.all(a, a.exchanges.all(e, e.status != 'denied'))",
    },
    at: {
      type: 'timestamp',
      says: 'When it began.',
      example: "agents.all(a, a.exchanges.all(e, e.at > timestamp('2026-01-01T00:00:00Z')))",
    },
    statements: statements('agents.all(a, a.exchanges.all(e, size(e.statements) > 0))'),
  },
} as const satisfies FactShapes;
