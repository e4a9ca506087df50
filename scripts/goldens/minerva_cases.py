"""Rows for the goldens of `minerva_math` and `leaderboard/math`."""


def minerva_math():
    solutions = ["so $\\boxed{\\frac12}$.", "we get \\boxed{12\\text{ cm}} or \\boxed{x^2 + \\sqrt3}", "hence \\fbox{3}", "nothing", "\\boxed 7$ and",
                 "\\boxed{1,234}", "\\boxed{\\left(0,1\\right]}", "\\boxed{y = 2x+1}", "\\boxed{3", "\\boxed{5 square feet}", "\\boxed{45^\\circ}"]
    for folder in ("minerva_math", "leaderboard/math"):
        yield folder, "samples", "utils.list_fewshot_samples", [[]]
        yield folder, "docTo", "utils.doc_to_text", [{"problem": "What is $1+1$?"}, {"problem": ""}]
        for solution in solutions:
            docs = [{"problem": "p", "level": level, "type": "Algebra", "solution": solution} for level in ("Level 5", "Level 4")]
            yield folder, "processDocs", "utils.process_docs", [docs]
