"""Message catalogues are found in cached wheels, and on the system when there is no network."""

from __future__ import annotations

import zipfile
from pathlib import Path

import polib
import pytest

from demotic.demo import catalogues
from demotic.demo.catalogues import find_catalogues
from demotic.errors import FormatError
from demotic.progress import SILENT


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache, no package index, no catalogues of the real system."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setattr(catalogues, "SYSTEM_FOLDERS", (tmp_path / "locale",))
    return tmp_path


def wheel(cache: Path, name: str, members: dict[str, bytes]) -> Path:
    folder = cache / "demotic" / "catalogues" / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return path


def catalogue(folder: Path, name: str = "tool") -> Path:
    file = polib.POFile()
    file.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    file.append(polib.POEntry(msgid="open", msgstr="ouvrir"))
    folder.mkdir(parents=True, exist_ok=True)
    file.save_as_mofile(str(folder / f"{name}.mo"))
    return folder / f"{name}.mo"


def test_only_catalogues_of_the_language_are_unpacked(no_network: Path) -> None:
    wheel(
        no_network / "cache",
        "horizon",
        {
            "horizon/locale/fr/LC_MESSAGES/django.po": b"po",
            "horizon/locale/fr/LC_MESSAGES/django.mo": b"mo",
            "horizon/locale/fr_CA/LC_MESSAGES/other.mo": b"mo",
            "horizon/locale/frp/LC_MESSAGES/django.po": b"another language",
            "horizon/locale/de/LC_MESSAGES/django.po": b"po",
            "horizon/views.py": b"code",
        },
    )
    found = find_catalogues(["en", "fr"], offline=False, progress=SILENT)
    names = ["/".join(path.parts[-3:]) for path in found]
    assert names == ["fr/LC_MESSAGES/django.po", "fr_CA/LC_MESSAGES/other.mo"]
    assert all(path.is_file() for path in found)


def test_a_wheel_cannot_write_outside_its_folder(no_network: Path) -> None:
    wheel(no_network / "cache", "nova", {"../../locale/fr/LC_MESSAGES/evil.po": b"x"})
    catalogue(no_network / "locale" / "fr" / "LC_MESSAGES")
    find_catalogues(["fr"], offline=False, progress=SILENT)
    assert not list(no_network.rglob("evil.po"))


def test_a_torn_download_is_thrown_away(no_network: Path) -> None:
    torn = wheel(no_network / "cache", "nova", {"a": b"b"})
    torn.write_bytes(torn.read_bytes()[:20])
    installed = catalogue(no_network / "locale" / "fr" / "LC_MESSAGES")
    assert find_catalogues(["fr"], offline=False, progress=SILENT) == [installed]
    assert not torn.exists()


def test_offline_takes_what_is_installed(no_network: Path) -> None:
    wheel(no_network / "cache", "horizon", {"h/locale/fr/LC_MESSAGES/django.po": b"po"})
    installed = catalogue(no_network / "locale" / "fr" / "LC_MESSAGES")
    assert find_catalogues(["en", "fr"], offline=True, progress=SILENT) == [installed]


def test_nothing_to_be_had_is_an_error(no_network: Path) -> None:
    with pytest.raises(FormatError, match="no catalogues found for fr"):
        find_catalogues(["en", "fr"], offline=True, progress=SILENT)
