#!/usr/bin/env python3
"""A program for `marrow reduce --propose`: it asks a chat model for smaller inputs.

Off unless the environment names an endpoint that speaks the common chat-completions form:

    MODEL_ENDPOINT=http://127.0.0.1:8080/v1/chat/completions MODEL_NAME=local \\
        marrow reduce crash.c --propose 'python3 examples/propose/chat.py' -- gcc -c {}

MODEL_KEY is sent as a bearer token, if it is set. The input leaves this machine if the endpoint is
elsewhere. Nothing the model says is trusted: marrow tests every proposal.
"""

import json
import os
import re
import sys
import urllib.request

ASK = """This {language} input makes a tool fail. Propose up to five shorter variants that may still
fail in the same way, each in a fenced code block and nothing else. Do not repeat the failed ones.

```
{text}
```
{failed}"""

question = json.loads(sys.stdin.readline())
endpoint = os.environ.get("MODEL_ENDPOINT")
if not endpoint:
    sys.exit(0)  # nothing to propose

failed = "\n".join(f"Failed:\n```\n{one}\n```" for one in question["failed"][-5:])
prompt = ASK.format(language=question["language"], text=question["text"], failed=failed)
body = {"model": os.environ.get("MODEL_NAME", ""), "messages": [{"role": "user", "content": prompt}]}
request = urllib.request.Request(endpoint, json.dumps(body).encode(), {"Content-Type": "application/json"})
if key := os.environ.get("MODEL_KEY"):
    request.add_header("Authorization", f"Bearer {key}")
with urllib.request.urlopen(request, timeout=100) as response:
    answer = json.load(response)["choices"][0]["message"]["content"]
for block in re.findall(r"```[^\n]*\n(.*?)```", answer, re.DOTALL):
    print(json.dumps({"text": block}))
