"""What every run of the tests says about itself."""

from hypothesis import settings

from tests.quality.corpora import data_folder

settings.register_profile("whorl", deadline=None)
settings.load_profile("whorl")


def pytest_report_header() -> str:
    folder = data_folder()
    if folder is None:
        return "quality gates: mutations of the example newsroom; set WHORL_DATA to add real corpora"
    return f"quality gates: mutations of the example newsroom, and the real corpora in {folder}"
