"""Compares what a context sent with what the service exports, and checks that with the public SDK."""

import json
import tempfile
import urllib.request
from pathlib import Path

from eqty_sdk import Context, verify_statement, verify_vc


def print_facts(url, context, signer):
    folder = Path(tempfile.mkdtemp())
    context.export(folder / "sent.json")
    exported = folder / "exported.json"
    query = f"graph_ids={context.id}&include_context=true&include_blobs=true"
    urllib.request.urlretrieve(f"{url}/manifest/v1?{query}", exported)
    Context.new("imported").import_manifest(exported)
    manifest = json.loads(exported.read_text())
    statements = manifest["statements"].values()
    credentials = [one["credential"] for one in statements if "credential" in one]
    facts = {
        "graph": str(context.id),
        "did": signer.did_key,
        "sent": sorted(json.loads((folder / "sent.json").read_text())["statements"]),
        "exported": sorted(manifest["statements"]),
        "verified": all(verify_statement(json.dumps(one)) for one in statements),
        "credentials": sum(verify_vc(json.dumps(one)) for one in credentials),
    }
    print(json.dumps(facts))
