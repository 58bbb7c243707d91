/** The project of the demo and its parts, with fixed ids. */
export const project = {
  graph_id: '8f0f5d0e-6a57-4c39-9a35-0c6f0d0c7a10',
  name: 'Cairn, made from its own sources',
};

export const graphs = {
  sources: { graph_id: '8f0f5d0e-6a57-4c39-9a35-0c6f0d0c7a11', name: 'Sources', parent_id: project.graph_id },
  build: { graph_id: '8f0f5d0e-6a57-4c39-9a35-0c6f0d0c7a12', name: 'Build', parent_id: project.graph_id },
  /** The steps that make the service itself. The service signs them. */
  release: { graph_id: '8f0f5d0e-6a57-4c39-9a35-0c6f0d0c7a14', name: 'Release', parent_id: project.graph_id },
  governance: {
    graph_id: '8f0f5d0e-6a57-4c39-9a35-0c6f0d0c7a13',
    name: 'Governance',
    parent_id: project.graph_id,
  },
} as const;

export type GraphName = keyof typeof graphs;

/** Another project, of somebody else. */
export const houses = { graph_id: '8f0f5d0e-6a57-4c39-9a35-0c6f0d0c7a20', name: 'House prices' };
