"""Records a computation with the public SDK, registers it, and checks what the service exports. Prints JSON."""

import json
import sys
import tempfile
import urllib.request
from pathlib import Path

from eqty_sdk import (
    SIGNER_ALGORITHMS,
    Context,
    Dataset,
    Service,
    Signer,
    compute,
    init,
    set_active_signer,
    verify_statement,
    verify_vc,
)

url, algorithm = sys.argv[1:]
folder = Path(tempfile.mkdtemp())
config = init(custom_dir=folder).set_store_all_blobs(True)
context = config.get_default_context()
signer = Signer.new(getattr(SIGNER_ALGORITHMS, algorithm))
set_active_signer(signer)


@compute(metadata={"name": "Normalize"})
def normalize(dataset: Dataset) -> Dataset:
    return Dataset.from_object({"rows": 2, "by": algorithm})


normalize(Dataset.from_object({"rows": 1, "by": algorithm}))
context.export(folder / "sent.json")
context.register(Service.new(url, "no key"))

exported = folder / "exported.json"
query = f"graph_ids={context.id}&include_context=true&include_blobs=true"
urllib.request.urlretrieve(f"{url}/manifest/v1?{query}", exported)
Context.new("imported").import_manifest(exported)
manifest = json.loads(exported.read_text())
statements = manifest["statements"].values()
credentials = [one["credential"] for one in statements if "credential" in one]
print(
    json.dumps(
        {
            "graph": str(context.id),
            "did": signer.did_key,
            "sent": sorted(json.loads((folder / "sent.json").read_text())["statements"]),
            "exported": sorted(manifest["statements"]),
            "verified": all(verify_statement(json.dumps(one)) for one in statements),
            "credentials": sum(verify_vc(json.dumps(one)) for one in credentials),
        }
    )
)
