"""Runs the agent of docs/python.md, which registers itself, and checks what the service exports. Prints JSON at the end."""

import runpy
import sys

from python_export import print_facts

url, agent = sys.argv[1:]
made = runpy.run_path(agent)
print_facts(url, made["handler"].context, made["signer"])
