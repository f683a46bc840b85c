# SPDX-License-Identifier: MIT
# schema.py SCHEMA FILE: whether the JSON in FILE is as SCHEMA says. Knows what our schemas use, and refuses the rest.
import json
import os
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
IGNORED = {"$schema", "$id", "title", "description"}


def resolve(reference, directory):
    file, _, pointer = reference.partition("#")
    with open(os.path.join(directory, file)) as f:
        schema = json.load(f)
    for step in pointer.split("/")[1:]:
        schema = schema[step]
    return schema


def check(value, schema, where, directory):
    for word, rule in schema.items():
        wrong = None
        if word in IGNORED:
            continue
        if word == "$ref":
            check(value, resolve(rule, directory), where, directory)
        elif word == "type":
            if not isinstance(value, TYPES[rule]) or (rule == "integer" and isinstance(value, bool)):
                wrong = f"is no {rule}"
        elif word == "enum":
            if value not in rule:
                wrong = f"is none of {rule}"
        elif word == "pattern":
            if not re.search(rule, value):
                wrong = f"does not match {rule}"
        elif word == "minimum":
            if value < rule:
                wrong = f"is below {rule}"
        elif word == "required":
            missing = [name for name in rule if name not in value]
            if missing:
                wrong = f"lacks {missing}"
        elif word == "additionalProperties":
            patterns = schema.get("patternProperties", {})
            unknown = {name for name in value if name not in schema["properties"] and not any(re.search(p, name) for p in patterns)}
            if unknown:
                wrong = f"has {sorted(unknown)} too"
        elif word == "properties":
            for name, below in rule.items():
                if name in value:
                    check(value[name], below, f"{where}.{name}", directory)
        elif word == "patternProperties":
            for name in value:
                for pattern, below in rule.items():
                    if re.search(pattern, name):
                        check(value[name], below, f"{where}.{name}", directory)
        elif word == "items":
            for i, item in enumerate(value):
                check(item, rule, f"{where}[{i}]", directory)
        else:
            sys.exit(f"schema.py does not know '{word}'")
        if wrong:
            sys.exit(f"{where} {wrong}: {value!r}"[:500])


with open(sys.argv[1]) as f:
    schema = json.load(f)
with open(sys.argv[2]) as f:
    check(json.load(f), schema, "it", os.path.dirname(sys.argv[1]))
