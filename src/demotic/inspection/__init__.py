"""What a file is and what is in it.

    from demotic.inspection import inspect
    report = inspect("memory.tmx")
    report.kind, report.facts, report.problems

The content decides, not the name, wherever that is possible: models by their magic number, ARPA by
its first line, XML by its root, alignments and tables by their lines.
"""

from demotic.inspection.detect import Kind, detect
from demotic.inspection.inspect import inspect
from demotic.inspection.report import Report

__all__ = ["Kind", "Report", "detect", "inspect"]
