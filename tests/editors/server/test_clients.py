"""Editors that people use: what they show, and what becomes of a file when they apply an action."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.tools import eglot, program

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("pygls")
pytestmark = pytest.mark.slow
TEXT = "import os\nname = '🤗'; os.system('pip install vllm')\n"
EDITED = "import os\nname = '🤗'; os.system('pip install numpy vllm')\n"
ACTIONS = [
    "Name the other (ACME001)",
    "Ignore ACME001 here, with a reason",
    "Apply all safe fixes of rocmlint",
]
FIXED = EDITED.replace("vllm", "aphrodite")
NEOVIM = """
local root = vim.fn.getcwd()
local told = {}
local function note(what, value) table.insert(told, { what, value }) end
local function shown()
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    local lines = vim.api.nvim_buf_get_text(0, each.lnum, each.col, each.end_lnum, each.end_col, {})
    table.insert(found, { each.code, lines[1], each.source, each.severity })
  end
  return found
end
local function wait(is_so) note("in time", (vim.wait(20000, is_so, 20))) end

local client
local function session()
  vim.cmd("edit serve.py")
  client = vim.lsp.start_client({
    cmd = { unpack(vim.fn.json_decode(os.getenv("SERVER"))) },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
  })
  vim.lsp.buf_attach_client(0, client)
  wait(function() return #shown() == 1 end)
  note("opened", shown())

  vim.api.nvim_buf_set_text(0, 1, 38, 1, 38, { "numpy " })
  wait(function()
    return #shown() == 1 and vim.diagnostic.get(0)[1].col == 44
  end)
  note("edited", shown())

  local params = vim.lsp.util.make_range_params()
  params.range = { start = { line = 1, character = 43 }, ["end"] = { line = 1, character = 43 } }
  params.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(0, 1) }
  local answer = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000)
  local actions = answer[client].result
  note("actions", vim.tbl_map(function(each) return each.title end, actions))
  local encoding = vim.lsp.get_client_by_id(client).offset_encoding
  vim.lsp.util.apply_workspace_edit(actions[1].edit, encoding)
  wait(function() return #shown() == 0 end)
  vim.cmd("write")

  vim.cmd("edit ignored.py")
  vim.lsp.buf_attach_client(0, client)
  params = vim.lsp.util.make_position_params()
  params.position.character = 20
  answer = vim.lsp.buf_request_sync(0, "textDocument/hover", params, 20000)
  note("hover", vim.split(answer[client].result.contents.value, "\\n")[1])
end

local done, problem = pcall(session)
if not done then note("problem", problem) end
vim.fn.writefile({ vim.fn.json_encode(told) }, "told.json")
if client then
  vim.lsp.stop_client(client)
  vim.wait(10000, function() return vim.lsp.client_is_stopped(client) end, 20)
end
vim.cmd("quitall!")
"""

EMACS = """
(package-initialize)
(require 'eglot)
(require 'json)
(setq eglot-sync-connect 30
      eglot-events-buffer-size 0
      eglot-server-programs
      (list (cons 'python-mode (append (json-read-from-string (getenv "SERVER")) nil))))
(defvar told nil)
(defun note (what value) (push (list what value) told))
(defun shown ()
  (mapcar (lambda (each)
            (buffer-substring (flymake-diagnostic-beg each) (flymake-diagnostic-end each)))
          (flymake-diagnostics)))
(defun wait (wanted)
  (let ((end (+ (float-time) 20)))
    (while (and (< (float-time) end) (not (equal (shown) wanted)))
      (accept-process-output nil 0.05))
    (note "shown" (vconcat (shown)))))
(find-file "serve.py")
(apply #'eglot (eglot--guess-contact))
(flymake-start)
(wait '("vllm"))
(note "text" (car (split-string (flymake-diagnostic-text (car (flymake-diagnostics))) ":")))
(goto-char (flymake-diagnostic-beg (car (flymake-diagnostics))))
(insert "numpy ")
(eglot--signal-textDocument/didChange)
(wait '("vllm"))
(let ((actions (eglot-code-actions (1+ (point)) (1+ (point)))))
  (note "actions" (vconcat (mapcar (lambda (each) (plist-get each :title)) actions)))
  (eglot--apply-workspace-edit (plist-get (car (append actions nil)) :edit)))
(eglot--signal-textDocument/didChange)
(wait nil)
(save-buffer)
(eglot-shutdown (eglot-current-server))
(with-temp-file "told.json" (insert (json-encode (vconcat (reverse told)))))
"""


def server() -> list[str]:
    """Return the command that an editor is to start."""
    return [sys.executable, "-m", "rocmlint", "server", "--local-rules"]


def test_neovim(project: Path) -> None:
    (project / "serve.py").write_text(TEXT)
    (project / "ignored.py").write_text("x = 1  # noqa: ACME001\n")
    (project / "session.lua").write_text(NEOVIM)
    done = subprocess.run(
        [program("nvim"), "--headless", "--clean", "-c", "luafile session.lua"],
        cwd=project,
        env={**os.environ, "SERVER": json.dumps(server())},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (project / "told.json").exists(), done.stderr
    told: list[tuple[str, Any]] = json.loads((project / "told.json").read_text())
    assert told == [
        ["in time", True],
        ["opened", [["ACME001", "vllm", "rocmlint", 1]]],
        ["in time", True],
        ["edited", [["ACME001", "vllm", "rocmlint", 1]]],
        ["actions", ACTIONS],
        ["in time", True],
        ["hover", "# no-vllm (ACME001)"],
    ]
    assert (project / "serve.py").read_text() == FIXED


def test_emacs(project: Path) -> None:
    emacs = eglot()
    (project / "serve.py").write_text(TEXT)
    (project / "session.el").write_text(EMACS)
    done = subprocess.run(
        [emacs, "--batch", "--load", "session.el"],
        cwd=project,
        env={**os.environ, "SERVER": json.dumps(server())},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (project / "told.json").exists(), done.stderr
    told: list[tuple[str, Any]] = json.loads((project / "told.json").read_text())
    assert told == [
        ["shown", ["vllm"]],
        ["text", "rocmlint [ACME001]"],
        ["shown", ["vllm"]],
        ["actions", ACTIONS],
        ["shown", []],
    ]
    assert (project / "serve.py").read_text() == FIXED
