"""Reports the runs of two jobs to the service at argv[1], with the token argv[2], into the graph argv[3]."""
import sys
from datetime import datetime, timezone

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import column_lineage_dataset, error_message_run, schema_dataset, sql_job
from openlineage.client.transport.http import ApiKeyTokenProvider, HttpCompression, HttpConfig, HttpTransport
from openlineage.client.uuid import generate_new_uuid

url, token, graph = sys.argv[1:]


def client(compression):
    auth = ApiKeyTokenProvider({"api_key": token})
    endpoint = f"api/v1/lineage?graph_id={graph}"
    config = HttpConfig(url=url, endpoint=endpoint, auth=auth, compression=compression)
    return OpenLineageClient(transport=HttpTransport(config))


def report(to, job, inputs, outputs, end, run_facets={}):
    run_id = str(generate_new_uuid())
    for state, facets in [(RunState.START, {}), (end, run_facets)]:
        to.emit(
            RunEvent(
                eventType=state,
                eventTime=datetime.now(timezone.utc).isoformat(),
                run=Run(runId=run_id, facets=facets),
                job=Job(namespace="python", name=job, facets={"sql": sql_job.SQLJobFacet(query="SELECT 1")}),
                inputs=[InputDataset(namespace="db", name=name) for name in inputs],
                outputs=[
                    OutputDataset(namespace="db", name=name, facets={"schema": schema, "columnLineage": columns})
                    for name in outputs
                ],
                producer="https://example.com/python",
            )
        )


schema = schema_dataset.SchemaDatasetFacet(fields=[schema_dataset.SchemaDatasetFacetFields(name="id", type="int")])
columns = column_lineage_dataset.ColumnLineageDatasetFacet(
    fields={
        "id": column_lineage_dataset.Fields(
            inputFields=[column_lineage_dataset.InputField(namespace="db", name="raw", field="id")]
        )
    }
)
report(client(None), "load", ["raw"], ["orders"], RunState.COMPLETE)
report(client(HttpCompression.GZIP), "report", ["orders"], ["report"], RunState.COMPLETE)
failure = error_message_run.ErrorMessageRunFacet(message="no such table", programmingLanguage="SQL")
report(client(None), "broken", ["orders"], [], RunState.FAIL, {"errorMessage": failure})
