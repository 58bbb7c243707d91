# Sends the spans of an agent with the official SDK: traces.py URL TOKEN AGENT PROJECT
import sys

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

url, token, agent, project = sys.argv[1:]
exporter = OTLPSpanExporter(
    endpoint=f"{url}/v1/traces", headers={"Authorization": f"Bearer {token}"}, compression=Compression.Gzip
)
provider = TracerProvider(resource=Resource({"cairn.agent_id": agent, "cairn.project_id": project}))
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("test")
with tracer.start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "python"}):
    with tracer.start_as_current_span("tool", attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}):
        pass
assert provider.force_flush()
provider.shutdown()
