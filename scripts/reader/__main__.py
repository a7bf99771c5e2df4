"""A second reader of docs/problem.md, which shares nothing with the planner.

    python3 scripts/reader compile INSTANCE [PROFILES...]          prints what an instance compiles to
    python3 scripts/reader check INSTANCE SCHEDULE [PROFILES...]   checks a schedule by the ten rules
    python3 scripts/reader certify INSTANCE CERTIFICATE [PROFILES...]   proves a bound that needs no program
    python3 scripts/reader batch                                   answers requests, one a line, see batch.py

Files are JSON. The exit status is 1 where a schedule breaks a rule or a bound is not proven, and 2
where a file cannot be read.
"""

from __future__ import annotations

import json
import sys

import batch
import bounds
import instance
import quantities
import rules
import schedule


def load(path: str) -> dict:
    with open(path, encoding="utf-8") as file:
        try:
            return batch.parse(file.read())
        except ValueError as problem:
            raise quantities.Refused(f"{path} is not JSON: {problem}") from None


def main(arguments: list[str]) -> int:
    command, files = (arguments[:1] or [""])[0], [load(path) for path in arguments[1:]]
    if command == "batch" and not files:
        for line in sys.stdin:
            print(json.dumps(batch.answer(batch.parse(line))), flush=True)
        return 0
    if command == "compile" and files:
        print(json.dumps(batch.figures(instance.read(files[0], files[1:])), indent=1))
        return 0
    if command == "check" and len(files) >= 2:
        compiled = instance.read(files[0], files[2:])
        plan = schedule.read(files[1], compiled)
        violations = rules.check(compiled, plan)
        for v in violations:
            print(f"rule {v.rule}: job {v.job}, iteration {v.iteration}, tick {v.tick}: {v.text}")
        if not violations:
            print(f"valid: {compiled.objective} {plan.value(compiled)}, efficiency {float(plan.efficiency(compiled)):.4f}")
        return 1 if violations else 0
    if command == "certify" and len(files) >= 2:
        wrong = batch.subject(files[0], files[2:]).wrong(files[1])
        print(wrong or f"proven: {files[1]['kind']} {files[1]['bound']}")
        return 1 if wrong else 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyError as key:
        print(f"reader: the key {key} is missing", file=sys.stderr)
        sys.exit(2)
    except (OSError, quantities.Refused, schedule.Malformed, bounds.TooMany) as problem:
        print(f"reader: {problem}", file=sys.stderr)
        sys.exit(2)
