"""Configuration: which file counts, how files are laid over each other, what is refused where."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rocmlint import __version__
from rocmlint.config.configuration import Configuration
from rocmlint.config.option import converted, did_you_mean, plain, problem
from rocmlint.config.settings import OPTIONS, Settings
from rocmlint.errors import ConfigError
from rocmlint.lint.selection import enabled_rules

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def settings(folder: Path, **given: object) -> Settings:
    return Configuration(given).settings_for(str(folder))


def error(folder: Path) -> str:
    with pytest.raises(ConfigError) as raised:
        enabled_rules(settings(folder))
    return str(raised.value)


# Which file counts


def test_the_nearest_configuration_wins(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.rocmlint]\npreview = true\nselect = ['ROC1']\n")
    write(tmp_path, "inner/pyproject.toml", "[tool.rocmlint]\nselect = ['ROC6']\n")
    (tmp_path / "inner" / "deep").mkdir()
    found = settings(tmp_path / "inner" / "deep")
    assert (found.select, found.preview) == (("ROC6",), False)
    assert found.root == str(tmp_path / "inner")


def test_a_pyproject_of_other_tools_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.rocmlint]\nselect = ['ROC1']\n")
    write(tmp_path, "inner/pyproject.toml", "[project]\ndependencies = ['rocmlint']\n")
    assert settings(tmp_path / "inner").select == ("ROC1",)


@pytest.mark.parametrize("text", ["no [TOML", "no [TOML\n'rocmlint==1'\n[tool.other]\nrocmlint=3"])
def test_a_pyproject_that_cannot_be_ours_is_not_even_parsed(tmp_path: Path, text: str) -> None:
    write(tmp_path, "pyproject.toml", text)
    assert settings(tmp_path).select == Settings().select


@pytest.mark.parametrize(
    "text",
    [
        "[tool.rocmlint]\npreview = true",
        '[ tool . "rocmlint" ]\npreview = true',
        "tool.rocmlint.preview = true",
        "[tool]\nrocmlint = { preview = true }",
        "[tool]\nrocmlint.preview = true",
        "tool = { rocmlint = { preview = true } }",
    ],
)
def test_however_the_table_is_spelled_it_counts(tmp_path: Path, text: str) -> None:
    write(tmp_path, "pyproject.toml", text)
    assert settings(tmp_path).preview


def test_rocmlint_toml_wins_over_pyproject_in_one_folder(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.rocmlint]\nselect = ['ROC1']\n")
    write(tmp_path, "rocmlint.toml", "select = ['ROC6']\n")
    assert settings(tmp_path).select == ("ROC6",)


def test_a_hidden_rocmlint_toml_wins_over_both(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.rocmlint]\nselect = ['ROC1']\n")
    write(tmp_path, "rocmlint.toml", "select = ['ROC6']\n")
    write(tmp_path, ".rocmlint.toml", "selct = ['ROC2']\n")
    assert re.search(r"/\.rocmlint\.toml:1: unknown key 'selct'", error(tmp_path))
    write(tmp_path, ".rocmlint.toml", "select = ['ROC2']\n")
    assert settings(tmp_path).select == ("ROC2",)


def test_all_folders_of_a_configuration_share_one_object(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "")
    (tmp_path / "inner").mkdir()
    configuration = Configuration()
    inner = configuration.settings_for(str(tmp_path / "inner"))
    assert inner is configuration.settings_for(str(tmp_path))


def test_without_any_file_the_working_folder_is_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings(tmp_path) == Settings(root=str(tmp_path))


def test_isolated_reads_no_file(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "preview = true\n")
    assert not Configuration(isolated=True).settings_for(str(tmp_path)).preview


# Paths


def test_paths_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    write(tmp_path, "shared/base.toml", "rules = ['rules']\n")
    text = "extend = 'shared/base.toml'\nbaseline = 'known.json'\n"
    write(tmp_path, "rocmlint.toml", text)
    found = settings(tmp_path)
    assert found.rules == (str(tmp_path / "shared" / "rules"),)
    assert found.baseline == str(tmp_path / "known.json")


# Laying configurations over each other


def test_extend_is_laid_under_the_file_that_extends(tmp_path: Path) -> None:
    write(tmp_path, "base.toml", "preview = true\nbaseline = 'a.json'\nexclude = ['build']\n")
    write(tmp_path, "rocmlint.toml", "extend = 'base.toml'\npreview = false\nexclude = ['dist']\n")
    found = settings(tmp_path)
    assert (found.preview, found.exclude) == (False, ("build", "dist"))
    assert found.baseline == str(tmp_path / "a.json")
    assert found.sources == (str(tmp_path / "base.toml"), str(tmp_path / "rocmlint.toml"))


def test_a_select_on_top_sets_the_selection_below_aside(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "ignore = ['ROC602']\nextend-select = ['ROC1']\n")
    found = settings(tmp_path, select=["ROC602"])
    assert (found.select, found.extend_select, found.ignore) == (("ROC602",), (), ())


def test_ignore_and_extend_select_on_top_add_to_the_selection(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "ignore = ['ROC602']\nselect = ['ROC6']\n")
    found = settings(tmp_path, ignore=["ROC601"], **{"extend-select": ["ROC1"]})
    assert found.ignore == ("ROC602", "ROC601")
    assert (found.select, found.extend_select) == (("ROC6",), ("ROC1",))


def test_options_of_a_rule_are_laid_over_each_other_one_by_one(tmp_path: Path) -> None:
    write(tmp_path, "base.toml", "[exif-transpose]\nallowed-paths = ['a']\n")
    write(tmp_path, "rocmlint.toml", "extend = 'base.toml'\n[exif-transpose]\n")
    assert settings(tmp_path).rule_options == {"exif-transpose": {"allowed-paths": ["a"]}}


def test_a_config_argument_may_be_a_file_that_replaces_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "preview = true\n")
    other = write(tmp_path, "other.toml", "select = ['ROC1']\n")
    found = Configuration(config=[str(other)]).settings_for(str(tmp_path))
    assert (found.select, found.preview) == (("ROC1",), False)


def test_a_config_argument_may_be_toml_laid_over_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "preview = true\n")
    pieces = ["select = ['ROC1']", "exif-transpose.allowed-paths = ['a']"]
    found = Configuration(config=pieces).settings_for(str(tmp_path))
    assert (found.select, found.preview) == (("ROC1",), True)
    assert found.rule_options == {"exif-transpose": {"allowed-paths": ["a"]}}


def test_fixable_on_top_sets_what_is_fixable_below_aside(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "unfixable = ['ROC602']\nextend-fixable = ['ROC1']\n")
    assert settings(tmp_path, unfixable=["ROC601"]).unfixable == ("ROC602", "ROC601")
    found = settings(tmp_path, fixable=["ROC9"])
    assert (found.fixable, found.extend_fixable, found.unfixable) == (("ROC9",), (), ())


def test_where_each_key_was_set_is_known(tmp_path: Path) -> None:
    write(
        tmp_path, "base.toml", "ignore = ['ROC1']\npreview = true\n[exif-transpose]\nalways = true"
    )
    write(tmp_path, "rocmlint.toml", "extend = 'base.toml'\nignore = ['ROC2']\npreview = false\n")
    (tmp_path / "inner").mkdir()
    configuration = Configuration({"profile": "export"})
    origins = configuration.origins(str(tmp_path / "inner"))
    names = {key: [each.name.split("/")[-1] for each in places] for key, places in origins.items()}
    assert names == {
        "ignore": ["base.toml", "rocmlint.toml"],
        "preview": ["rocmlint.toml"],
        "exif-transpose.always": ["base.toml"],
        "profile": ["command line"],
    }


# Another version


@pytest.mark.parametrize("required", [">=0.0.1", __version__, f"=={__version__}", "<1000,!=999"])
def test_the_version_that_is_required_is_accepted(tmp_path: Path, required: str) -> None:
    write(tmp_path, "rocmlint.toml", f"required-version = '{required}'\n")
    assert settings(tmp_path).required_version == required


@pytest.mark.parametrize(
    ("required", "message"),
    [
        ("'>=1000'", f"required-version is '>=1000', but this is rocmlint {__version__}$"),
        ("'1000'", f"required-version is '1000', but this is rocmlint {__version__}$"),
        ("'newest'", "'newest' is not a valid version specifier, such as '>=1.2'$"),
        ("3", "required-version must be a string, not 3$"),
    ],
)
def test_another_version_than_required_is_refused(
    tmp_path: Path, required: str, message: str
) -> None:
    write(tmp_path, "rocmlint.toml", f"\nrequired-version = {required}\n")
    assert re.search(f"rocmlint.toml:2: .*{message}", error(tmp_path))


def test_a_key_of_a_newer_version_does_not_hide_that_it_is_required(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "from-the-future = 1\nrequired-version = '>=1000'\n")
    assert "required-version is '>=1000'" in error(tmp_path)


# What is refused, and where


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("selct = ['ROC1']", r":2: unknown key 'selct'; did you mean 'select'\?$"),
        ("extend_select = []", r":2: unknown key 'extend_select'; did you mean 'extend-select'\?$"),
        ("preview = 'yes'", r":2: preview must be true or false, not 'yes'$"),
        ("preview = 1", r":2: preview must be true or false, not 1$"),
        ("select = 'ROC1'", r":2: select must be a list of strings, not 'ROC1'$"),
        ("rules = [1]", r":2: rules must be a list of paths \(strings\), not \[1\]$"),
        ("baseline = []", r":2: baseline must be a path \(a string\), not \[\]$"),
        ("per-file-ignores = ['a']", r":2: per-file-ignores must be a table whose values are"),
        ("\nselect = ['ROC6', 'ROC6O2']", r":3: unknown rule 'ROC6O2'; did you mean 'ROC602'"),
        ("ignore = ['exif-transpos']", r":2: unknown rule '.*did you mean 'exif-transpose'"),
        ("ignore = ['']", r":2: unknown rule ''"),
        ("per-file-ignores = {a = ['ROC0']}", r":2: unknown rule 'ROC0'"),
        ("[tool.rocmlint.exif-trans]", r":2: unknown key or rule .* 'exif-transpose'\?$"),
        ("[tool.rocmlint.ROC601]", r":2: unknown key or rule .* 'exif-transpose'\?$"),
        ("[tool.rocmlint.per-file-ignore]", r":2: unknown .* did you mean 'per-file-ignores'\?$"),
        ("exif-transpose.allowed-path = []", r":2: .* has no option .* 'allowed-paths'\?$"),
        ("exif-transpose.allowed-paths = 3", r":2: exif-transpose: allowed-paths must be a list"),
        (
            "extend = 'missing.toml'",
            r"missing.toml: cannot be read: No such .* \(extended by .*pyproject.toml:2\)$",
        ),
        ("ignore = ['ROC999']", r":2: unknown rule 'ROC999'; `rocmlint rule` lists the rules$"),
        ("ignore = ['roc101']", r":2: unknown rule 'roc101'; did you mean 'ROC101'\?$"),
        ("unfixable = ['ROC6O2']", r":2: unknown rule 'ROC6O2'; did you mean 'ROC602'\?$"),
        ("per-file-ignores = {'[' = ['ROC1']}", r":2: .*'\[' is not a valid gitignore pattern$"),
        ("per-file-ignores = {'!' = ['ROC1']}", r":2: .*'!' is not a valid gitignore pattern$"),
        ("per-file-ignores = {'./a' = ['ROC1']}", r":2: .*'./a' matches nothing: patterns have "),
        ("select = [", r"pyproject.toml: not valid TOML: "),
    ],
)
def test_what_means_nothing_is_refused_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = write(tmp_path, "pyproject.toml", f"[tool.rocmlint]\n{text}\n")
    found = error(tmp_path)
    assert re.search(message, found)
    assert str(path.parent) in found


def test_the_line_named_is_in_our_part_of_a_pyproject(tmp_path: Path) -> None:
    text = "[tool.other]\nselct = 1\n[tool.rocmlint]\n# selct is wrong\nselct = ['ROC1']\n"
    write(tmp_path, "pyproject.toml", text)
    assert "pyproject.toml:5: unknown key" in error(tmp_path)


def test_a_mistake_in_an_extended_file_is_placed_there(tmp_path: Path) -> None:
    write(tmp_path, "base.toml", "\nselect = ['ROCK']\n")
    write(tmp_path, "rocmlint.toml", "extend = 'base.toml'\n")
    assert "base.toml:2: unknown rule 'ROCK'" in error(tmp_path)


@pytest.mark.parametrize("text", ["previw = true\n", "select = ['ROCK']\n"])
def test_a_mistake_in_an_extended_file_names_the_files_that_lead_there(
    tmp_path: Path, text: str
) -> None:
    write(tmp_path, "base.toml", text)
    write(tmp_path, "team.toml", "\nextend = 'base.toml'\n")
    write(tmp_path, "rocmlint.toml", "extend = 'team.toml'\n")
    told = r"base.toml:1: unknown .* \(extended by .*team.toml:2\) \(extended by .*rocmlint.toml:1"
    assert re.search(told, error(tmp_path))


def test_a_mistake_on_the_command_line_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^command line: unknown rule 'ROCK'"):
        enabled_rules(settings(tmp_path, select=["ROCK"]))


def test_extend_in_a_circle_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.toml", "extend = 'rocmlint.toml'\n")
    write(tmp_path, "rocmlint.toml", "extend = 'a.toml'\n")
    assert re.search(r"circular extend: .*rocmlint.* -> .*a.toml -> .*", error(tmp_path))


def test_extending_a_pyproject_without_our_table_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "other/pyproject.toml", "[tool.black]\n")
    write(tmp_path, "rocmlint.toml", "\nextend = 'other/pyproject.toml'\n")
    assert re.search(r"rocmlint.toml:2: extend: .* has no \[tool.rocmlint\]", error(tmp_path))


def test_the_table_of_pyproject_in_rocmlint_toml_is_explained(tmp_path: Path) -> None:
    write(tmp_path, "rocmlint.toml", "[tool.rocmlint]\npreview = true\n")
    assert "are at the top level, without [tool.rocmlint]" in error(tmp_path)


@pytest.mark.parametrize("argument", ["nothing.toml", "preview"])
def test_a_config_argument_that_is_neither_is_refused(argument: str) -> None:
    with pytest.raises(ConfigError, match="neither a file nor a TOML setting"):
        Configuration(config=[argument])


# The laws of the table


def test_settings_have_a_field_for_each_option_with_its_default() -> None:
    fields = {name.replace("-", "_"): each.default for name, each in OPTIONS.items()}
    del fields["extend"]  # gone when it has been followed
    own = {"linted", "named", "archived", "root", "rule_options", "sources", "unloaded_rules"}
    assert {key: value for key, value in Settings()._asdict().items() if key not in own} == fields


@pytest.mark.parametrize("name", OPTIONS)
def test_defaults_survive_the_way_to_toml_and_back(name: str) -> None:
    option = OPTIONS[name]
    if option.default is not None:
        written = plain(option.default, option)
        assert problem(name, option, written) is None
        assert converted(option, written, "/somewhere") == option.default


def test_the_nearest_name_is_found_across_case_and_underscores() -> None:
    assert did_you_mean("Extend_Select", OPTIONS) == "; did you mean 'extend-select'?"
    assert did_you_mean("zzz", OPTIONS) == ""
