"""Records a computation with the public SDK, registers it, and checks what the service exports. Prints JSON."""

import sys
import tempfile

from eqty_sdk import SIGNER_ALGORITHMS, Dataset, Service, Signer, compute, init, set_active_signer
from python_export import print_facts

url, algorithm = sys.argv[1:]
config = init(custom_dir=tempfile.mkdtemp()).set_store_all_blobs(True)
context = config.get_default_context()
signer = Signer.new(getattr(SIGNER_ALGORITHMS, algorithm))
set_active_signer(signer)


@compute(metadata={"name": "Normalize"})
def normalize(dataset: Dataset) -> Dataset:
    return Dataset.from_object({"rows": 2, "by": algorithm})


normalize(Dataset.from_object({"rows": 1, "by": algorithm}))
context.register(Service.new(url, "no key"))
print_facts(url, context, signer)
