"""Parses the commands of an exported folder with lm_eval's own parser (0.4.13) and prints what it understood as JSON.

    python tests/make-goldens/parse_cluster_commands.py FOLDER

Nothing is run and no backend is needed: the vLLM form is parsed where vLLM isn't installed.
"""

import json
import shlex
import sys
from pathlib import Path

from lm_eval._cli.harness import HarnessCLI


def arguments(script: Path) -> list[str]:
    """What stands behind `lm_eval` in the script's one command."""
    lines = [line for line in script.read_text().splitlines() if not line.startswith(("#", "cd "))]
    words = shlex.split(" ".join(line.removesuffix("\\") for line in lines))
    return words[words.index("lm_eval") + 1 :]


def main() -> None:
    folder = Path(sys.argv[1])
    parsed = {}
    for script in sorted(folder.glob("run_*.sh")):
        # As typed: lm_eval itself puts `run` in front where no sub-command is named.
        sys.argv = ["lm_eval", *arguments(script)]
        parsed[script.name] = vars(HarnessCLI().parse_args())
    print(json.dumps(parsed, default=str))


main()
