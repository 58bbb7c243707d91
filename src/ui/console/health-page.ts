import { html } from 'hono/html';
import { health } from '../header.ts';
import type { ConsolePage } from './shell.ts';

/** The probes of the services, which the script of the page asks again and again. */
export function healthPage({ besideIntegrity }: { readonly besideIntegrity: boolean }): ConsolePage {
  const probes = [
    { name: 'Control plane', path: '/health', meaning: 'The process answers.' },
    ...(besideIntegrity
      ? [{ name: 'Integrity service', path: '/health/v1', meaning: 'The process answers.' }]
      : []),
    { name: 'Dependencies', path: '/ready', meaning: 'The stores and queues that the service needs answer.' },
  ];
  return {
    title: 'Health',
    here: health,
    script: 'console/health.ts',
    content: html`<ul class="probes">${probes.map(
      ({ name, path, meaning }) =>
        html`<li data-probe="${path}"><b>${name}</b> <span class="standing">asking…</span><span class="quiet">${meaning}</span></li>`,
    )}</ul>
<p class="quiet">Asked every ten seconds. Monitoring reads <code>/metrics</code> at the port of CAIRN_METRICS_PORT.</p>`,
  };
}
