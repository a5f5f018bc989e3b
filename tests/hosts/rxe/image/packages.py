# SPDX-License-Identifier: BSD-3-Clause
"""Downloads Debian packages with what they depend on, without installing anything."""
import json
import re
import subprocess

APT_SECONDS = 600
KERNEL_META_PACKAGE = "linux-image-amd64"


class PackageCache:
    """A folder of .deb files. What apt once answered is kept beside them, so that a later build of
    the same packages needs neither apt nor a network."""

    def __init__(self, folder):
        self.folder = folder.absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.answers = self.folder / "resolved.json"

    def fetch(self, wanted):
        """{package: path of its .deb} for the wanted packages and all they need, and the kernel's
        package under KERNEL_META_PACKAGE."""
        resolved = self.known_answer(wanted)
        if resolved is None:
            try:
                resolved = self.resolve_and_download(wanted)
            except RuntimeError:
                apt("update")  # The package lists are absent or older than the mirror.
                resolved = self.resolve_and_download(wanted)
            self.answers.write_text(json.dumps({"wanted": wanted, "files": resolved}, indent=1))
        return {package: self.folder / name for package, name in resolved.items()}

    def known_answer(self, wanted):
        if not self.answers.exists():
            return None
        answer = json.loads(self.answers.read_text())
        files = answer["files"].values()
        if answer["wanted"] == wanted and all((self.folder / name).exists() for name in files):
            return answer["files"]
        return None

    def resolve_and_download(self, wanted):
        # Nothing counts as installed, or apt would leave out the libraries this host has.
        nothing_installed = self.folder / "no-packages"
        nothing_installed.write_text("")
        plan = apt("-s", "-o", f"Dir::State::status={nothing_installed}", "-o",
                   "Debug::NoLocking=true", "--no-install-recommends", "install", *wanted)
        versions = dict(re.findall(r"^Inst (\S+) \(([^ )]+)", plan, re.MULTILINE))
        kernel = self.kernel_package()
        versions[kernel] = None
        missing = [name for name in versions if not self.file_of(name, versions[name])]
        if missing:
            apt("-o", "APT::Sandbox::User=root", "download",
                *(f"{name}={versions[name]}" if versions[name] else name for name in missing),
                folder=self.folder)
        files = {}
        for name, version in versions.items():
            found = self.file_of(name, version)
            if not found:
                raise RuntimeError(f"apt-get download left no file of {name} {version}")
            files[KERNEL_META_PACKAGE if name == kernel else name] = found
        return files

    def file_of(self, name, version):
        pattern = f"{name}_{version.replace(':', '%3a')}_*.deb" if version else f"{name}_*.deb"
        found = sorted(path.name for path in self.folder.glob(pattern))
        return found[-1] if found else None

    def kernel_package(self):
        """The package behind the meta package: the newest kernel of this Debian release."""
        answer = run(["apt-cache", "depends", KERNEL_META_PACKAGE])
        found = re.search(r"Depends: (linux-image-\d\S+)", answer)
        if not found:
            raise RuntimeError(f"apt-cache knows no {KERNEL_META_PACKAGE}")
        return found.group(1)


def unpack(deb, folder):
    folder.mkdir(parents=True, exist_ok=True)
    run(["dpkg-deb", "-x", str(deb), str(folder)])


def apt(*words, folder=None):
    return run(["apt-get", "-q", *words], folder)


def run(command, folder=None):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=APT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:6])} ...: {done.stderr.strip()[-600:]}")
    return done.stdout
