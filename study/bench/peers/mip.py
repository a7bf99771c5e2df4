"""Solves an MPS file with an integer programming code and prints the result as JSON.

The codes are HiGHS (highspy), SCIP (PySCIPOpt) and CBC (the command cbc). The
object printed has the keys of `answer` in study/bench/peers.go. Reading the
file is not counted.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time


def highs(path, limit, threads):
    import highspy

    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.readModel(path)
    h.setOptionValue("time_limit", limit)
    h.setOptionValue("threads", threads)
    h.setOptionValue("mip_rel_gap", 0.0)
    series = []

    def improved(event):
        out = event.data_out
        series.append([time.monotonic() - start, finite(out.objective_function_value), finite(out.mip_dual_bound)])

    h.cbMipImprovingSolution.subscribe(improved)
    start = time.monotonic()
    h.run()
    wall = time.monotonic() - start
    info, status = h.getInfo(), h.getModelStatus()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return {
        "status": outcome(status == highspy.HighsModelStatus.kOptimal, status == highspy.HighsModelStatus.kInfeasible, found),
        "primal": info.objective_function_value if found else None,
        "dual": finite(info.mip_dual_bound),
        "wall": wall,
        "nodes": max(0, info.mip_node_count),
        "version": f"HiGHS {h.version()}",
        "series": series,
    }


def scip(path, limit, _threads):
    """SCIP runs on one thread: its parallel modes need a separate build."""
    from pyscipopt import SCIP_EVENTTYPE, Eventhdlr, Model

    m = Model()
    m.hideOutput()
    m.readProblem(path)
    m.setParam("limits/time", limit)
    series = []

    class Improved(Eventhdlr):
        def eventinit(self):
            self.model.catchEvent(SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexec(self, event):
            series.append([time.monotonic() - start, finite(self.model.getPrimalbound()), finite(self.model.getDualbound())])

    m.includeEventhdlr(Improved(), "improved", "notes incumbents")
    start = time.monotonic()
    m.optimize()
    wall = time.monotonic() - start
    found = m.getNSols() > 0
    return {
        "status": outcome(m.getStatus() == "optimal", m.getStatus() == "infeasible", found),
        "primal": m.getPrimalbound() if found else None,
        "dual": finite(m.getDualbound()),
        "wall": wall,
        "nodes": m.getNTotalNodes(),
        "version": f"SCIP {m.version()}",
        "series": series,
    }


def cbc(path, limit, threads):
    """CBC reports results only in its log. Its own clock does not count reading."""
    command = ["cbc", path, "-sec", str(limit), "-timemode", "elapsed", "-threads", str(threads), "-ratioGap", "0", "-solve", "-quit"]
    # CBC checks its clock rarely; it is stopped as late as the others may be.
    try:
        log = subprocess.run(command, capture_output=True, text=True, timeout=limit * 1.5 + 60).stdout
    except subprocess.TimeoutExpired as e:
        log = (e.stdout or b"").decode()

    def last(pattern):
        found = re.findall(pattern + r"\s*([-+.\deE]+)", log, re.MULTILINE)
        return float(found[-1]) if found else None

    optimal = "Result - Optimal solution found" in log
    infeasible = "infeasible" in log.partition("Result - ")[2].lower()
    primal = last(r"^Objective value:")
    dual = primal if optimal else last(r"^Lower bound:")
    if dual is None:
        dual = last(r"Continuous objective value is")
    wall = last(r"Total time \(CPU seconds\):.*\(Wallclock seconds\):")
    version = re.search(r"Version: (\S+)", log)
    return {
        "status": outcome(optimal, infeasible, primal is not None),
        "primal": primal,
        "dual": dual,
        "wall": limit if wall is None else wall,
        "nodes": int(last(r"^Enumerated nodes:") or 0),
        "version": f"CBC {version.group(1) if version else '?'}",
        "series": [],
    }


def outcome(optimal, infeasible, found):
    if optimal:
        return "optimal"
    if infeasible:
        return "infeasible"
    return "feasible" if found else "limit"


def finite(value):
    """The value; None if solvers treat it as infinite."""
    return value if abs(value) < 1e19 else None


def main():
    p = argparse.ArgumentParser(description=__doc__)
    codes = {"highs": highs, "scip": scip, "cbc": cbc}
    p.add_argument("--solver", choices=codes, required=True)
    p.add_argument("--model", required=True)
    p.add_argument("--limit", type=float, required=True)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    answer = codes[a.solver](a.model, a.limit, a.threads)
    answer["peak_memory"] = 1024 * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
