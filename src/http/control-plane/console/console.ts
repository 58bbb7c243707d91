import { errorStatus } from '../../../contract/errors.ts';
import { standingAnswer } from '../../../contract/log-words.ts';
import {
  agentDetail,
  listAgents,
  listStatusEvents,
  type VisibleAgentPorts,
} from '../../../domain/control-plane/agents/visible-agents.ts';
import { type ConsoleNaming, peopleNames, targetNames } from '../../../domain/control-plane/console-names.ts';
import type { KnownCaller } from '../../../domain/control-plane/known-caller.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { logNames } from '../../../domain/log/names.ts';
import { type StandingReading, wholeStanding } from '../../../domain/log/standing.ts';
import { agentPage } from '../../../ui/console/agent-page.ts';
import { agentsPage } from '../../../ui/console/agents-page.ts';
import { auditLogPage } from '../../../ui/console/audit-log-page.ts';
import { exchangePage } from '../../../ui/console/exchange-page.ts';
import { healthPage } from '../../../ui/console/health-page.ts';
import { limitsPage } from '../../../ui/console/limits-page.ts';
import { type ConsolePage, consolePage, refusal } from '../../../ui/console/shell.ts';
import { tokensPage } from '../../../ui/console/tokens-page.ts';
import { agentPages, auditLog, health, type Link, runTimeLimits, tokens } from '../../../ui/header.ts';
import { pageAnswer } from '../../pages.ts';
import type { ControlPlaneApp } from '../operation.ts';
import { neverKept, visitor } from '../visitor.ts';
import { type ActivityPorts, agentActivity, agentExchange, type Call } from './agent-activity.ts';
import { type AuditPagePorts, auditSearchIn, searchAuditLog } from './audit-search.ts';
export type ConsolePorts = VisibleAgentPorts &
  ActivityPorts &
  ConsoleNaming &
  AuditPagePorts & {
    readonly links: readonly Link[];
    readonly besideIntegrity: boolean;
    readonly logs: StandingReading;
    /** Whether the service has a secret for registration tokens. */
    readonly mintsTokens: boolean;
  };

const rowsOnPage = 50;
const eventsOnPage = 10;
const pageOf = ({ cursor }: { readonly cursor?: string }) => ({ after: cursor ?? null, limit: rowsOnPage });
const orNull = (text: string) => (text === '' ? null : text);

/** The console: pages about agents, tokens, run-time limits, the audit log and health. */
export function consoleRoutes(app: ControlPlaneApp, ports: ConsolePorts): void {
  const { links, besideIntegrity, mintsTokens } = ports;

  pageRoute(app, links, {
    path: agentPages.address,
    bare: { title: agentPages.name, here: agentPages },
    show: async ({ caller, query }) => {
      const q = (query.q ?? '').trim();
      const state = (['active', 'revoked'] as const).find((one) => one === query.state) ?? null;
      const filter = { text: orNull(q), state };
      const found = await listAgents(ports, caller, filter, pageOf(query));
      return agentsPage({ q, state: state ?? '' }, found, await peopleNames(ports, found.records));
    },
  });

  pageRoute(app, links, {
    path: `${agentPages.address}/:id`,
    bare: { title: 'Agent', here: agentPages, parent: agentPages },
    show: async (call) => {
      const { context, caller, query } = call;
      const id = context.req.param('id') ?? '';
      const detail = await agentDetail(ports, caller, id);
      const asked = { after: query.events_cursor ?? null, limit: eventsOnPage };
      const events = caller.role === 'admin' ? await listStatusEvents(ports, id, asked) : null;
      const activity = caller.role === 'admin' ? await agentActivity(ports, call, id) : undefined;
      const actors = (events?.records ?? []).map(({ actor }) => actor);
      const people = await peopleNames(ports, [detail.agent, ...detail.bindings, ...actors]);
      const whole = await wholeStanding(ports.logs, logNames.agent(id));
      const log = { ...standingAnswer(whole.standing), entries: whole.entries };
      return agentPage({ detail, events, people, activity, log });
    },
  });

  pageRoute(app, links, {
    path: `${agentPages.address}/:id/projects/:project/exchanges/:key`,
    bare: { title: 'Exchange', here: agentPages, parent: agentPages },
    show: async (call) => {
      const { context, caller } = call;
      const { id = '', project = '', key = '' } = context.req.param();
      const { agent } = await agentDetail(ports, caller, id);
      const found = await agentExchange(ports, call, { id, project, key });
      return exchangePage({ ...found, agent, hasLineages: besideIntegrity });
    },
  });

  pageRoute(app, links, {
    path: tokens.address,
    bare: { title: 'Registration tokens', here: tokens },
    show: ({ caller }) => {
      if (caller.subject === null)
        return tokensPage(
          'Authentication is disabled, so there is nobody whom the agent could belong to. Enable a sign-in by browser (-auth-enabled, -auth-idp-enabled) to mint tokens here.',
        );
      return tokensPage(
        mintsTokens
          ? undefined
          : 'This service has no secret for registration tokens. Set -auth-registration-token-secret.',
      );
    },
  });

  if (besideIntegrity)
    pageRoute(app, links, {
      path: runTimeLimits.address,
      bare: { title: 'Run-time limits', here: runTimeLimits },
      show: () => limitsPage(),
    });

  pageRoute(app, links, {
    path: auditLog.address,
    bare: { title: auditLog.name, here: auditLog },
    refuses: administratorsOnly,
    show: async ({ query }) => {
      const search = auditSearchIn(query);
      const found = await searchAuditLog(ports, search, pageOf(query));
      const records = found.page.records;
      const people = await peopleNames(
        ports,
        records.map((record) => record.actor),
      );
      const targets = await targetNames(
        ports,
        records.flatMap((record) => record.target?.split(' ') ?? []),
      );
      return auditLogPage({ search, ...found, people, targets, hasLineages: besideIntegrity });
    },
  });

  pageRoute(app, links, {
    path: health.address,
    bare: { title: health.name, here: health },
    show: () => healthPage({ besideIntegrity }),
  });
}

interface PageRoute {
  readonly path: string;
  /** The page without its content, if the caller may not see it or it fails. */
  readonly bare: Pick<ConsolePage, 'title' | 'here' | 'parent'>;
  /** Why a caller may not see the page; undefined if they may. */
  readonly refuses?: (caller: KnownCaller) => string | undefined;
  readonly show: (call: Call) => Promise<ConsolePage> | ConsolePage;
}

function administratorsOnly({ role }: KnownCaller): string | undefined {
  return role === 'admin' ? undefined : 'Only administrators see this page.';
}

/** Registers a page of the console, for callers who are signed in. */
function pageRoute(
  app: ControlPlaneApp,
  links: readonly Link[],
  { path, bare, refuses = () => undefined, show }: PageRoute,
): void {
  app.get(path, neverKept, async (context) => {
    const { caller, problem } = await visitor(context);
    const answer = async (page: ConsolePage, status: number) =>
      pageAnswer(context, await consolePage(page, links), status as 200);
    if (!caller) {
      const { pathname, search } = new URL(context.req.url);
      if (problem !== undefined) return await answer({ ...bare, content: refusal(problem) }, 503);
      return await answer({ ...bare, content: refusal('Nobody is signed in.', pathname + search) }, 200);
    }
    const reason = refuses(caller);
    if (reason !== undefined) return await answer({ ...bare, content: refusal(reason) }, 403);
    try {
      return await answer(await show({ context, caller, query: context.req.query() }), 200);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return await answer({ ...bare, content: refusal(error.message) }, errorStatus[error.code]);
    }
  });
}
