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
        gold = "The sum is $1+1=2$, so $x$ is $\\boxed{\\frac{1}{2}}$."
        replies = [" We add. $x = \\frac12$.\nFinal Answer: The final answer is $\\frac{1}{2}$. I hope it is correct.", "Final Answer: The final answer is $0.5$.",
                   "so the answer is $\\boxed{\\frac{2}{4}}$", "The answer is 1/2.", "It is 0.5", "", "I don't know", "$$x=\\frac{1}{2}$$ then", "\\boxed{\\frac{1}{3}} no",
                   "Answer: 3/6\n\nProblem", "First $\\frac{1}{2}$, then $3$.", "Final Answer: The final answer is $50\\%$. I hope it is correct.", "= 0.500000001",
                   "\\[ x = \\frac{1}{2} \\]", "\\(\\tfrac12\\)", "answer = 4 - 7/2 = 1/2", "Final Answer: The final answer is $\\frac{1}{2}$ and $\\frac{1}{2}$. I hope it is correct."]
        doc = {"problem": "p", "solution": gold, "answer": "\\frac{1}{2}"}
        for reply in replies:
            yield folder, "processResults", "utils.process_results", [[doc, [reply]]]
        pair = {"problem": "p", "solution": "Thus $x = \\boxed{1}$ or $x = \\boxed{-3}$.", "answer": "-3"}
        empty = {"problem": "p", "solution": "So \\boxed{}.", "answer": ""}
        for reply in ("$x=1$ and $x=-3$", "Final Answer: The final answer is $-3$. I hope it is correct.", "$\\boxed{1}$, $\\boxed{-3}$", "$\\{1,-3\\}$", "$1$", "$$", "\\boxed{}"):
            for row in (pair, empty):
                yield folder, "processResults", "utils.process_results", [[row, [reply]]]
