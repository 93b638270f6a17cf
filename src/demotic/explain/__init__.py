"""Why a translation reads as it does: trees, JSON and pages.

explanation = model.explain("Delete the file?")
print(explanation.tree())
explanation.step_of(0).evidence      # training sentences behind the first word
page([view(model, "Delete the file?")])  # one HTML file: demotic.explain.html, demotic.explain.view
"""

from demotic.explain.derivation import explain
from demotic.explain.explanation import Evidence, ExplainedStep, Explanation

__all__ = ["Evidence", "ExplainedStep", "Explanation", "explain"]
