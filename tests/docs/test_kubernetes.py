"""The manifests for Kubernetes agree with each other and the documents; their commands and probes are executed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
import yaml
from tests.docs.test_compose import started
from tests.docs.test_readme import ROOT, both_languages, run
from tests.replicas import until
from tests.servers import PASSWORD
from tests.servers.shared import fresh, fresh_database

FOLDER = ROOT / "examples" / "kubernetes"
OBJECTS: list[dict[str, Any]] = [
    item for file in sorted(FOLDER.glob("*.yaml")) for item in yaml.safe_load_all(file.read_text(encoding="utf-8"))
]
VERSIONS = {
    "ConfigMap": "v1",
    "Deployment": "apps/v1",
    "Ingress": "networking.k8s.io/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "PersistentVolumeClaim": "v1",
    "PodDisruptionBudget": "policy/v1",
    "Service": "v1",
}
HOST = "copies.paper.example"
TEXT = "渔港的冰厂今年夏天添了两台新机器，一天能出冰四十吨。"
DRAIN_S, CLOSING_S = 20, 10


def _named(kind: str, name: str) -> dict[str, Any]:
    (item,) = (item for item in OBJECTS if (item["kind"], item["metadata"]["name"]) == (kind, name))
    return item


def _of(kind: str) -> list[dict[str, Any]]:
    return [item for item in OBJECTS if item["kind"] == kind]


def _pod(deployment: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return spec


def _container(name: str) -> dict[str, Any]:
    (container,) = _pod(_named("Deployment", name))["containers"]
    assert isinstance(container, dict)
    return container


def _arguments(name: str) -> list[str]:
    """Return the arguments of a container as the cluster passes them."""
    container = _container(name)
    assert container["envFrom"] == [{"configMapRef": {"name": "whorl"}}]
    variables = _named("ConfigMap", "whorl")["data"]
    return [re.sub(r"\$\((\w+)\)", lambda variable: variables[variable[1]], argument) for argument in container["args"]]


def _local(arguments: list[str], places: dict[str, str]) -> list[str]:
    """Return arguments with the places of a cluster replaced by local ones, all of which must occur."""
    text = "\0".join(arguments)
    for place, local in places.items():
        assert place in text, place
        text = text.replace(place, local)
    return text.split("\0")


def test_every_object_has_a_current_version_and_a_unique_name() -> None:
    assert all(item["apiVersion"] == VERSIONS[item["kind"]] for item in OBJECTS)
    names = [(item["kind"], item["metadata"]["name"]) for item in OBJECTS]
    assert len(names) == len(set(names)) == 11


def test_selectors_ports_and_volumes_refer_to_each_other() -> None:
    deployments = {deployment["metadata"]["name"]: deployment for deployment in _of("Deployment")}
    labels = {}
    for name, deployment in deployments.items():
        labels[name] = deployment["spec"]["template"]["metadata"]["labels"]
        assert deployment["spec"]["selector"]["matchLabels"] == labels[name] == {"app": name}
        (container,) = _pod(deployment)["containers"]
        volumes = {volume["name"] for volume in _pod(deployment).get("volumes", ())}
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    for service in _of("Service"):
        if "selector" in service["spec"]:
            ports = {port["name"] for port in _container(service["spec"]["selector"]["app"])["ports"]}
            assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports
    (budget,) = _of("PodDisruptionBudget")
    assert budget["spec"]["selector"]["matchLabels"] == labels["whorl"]
    assert budget["spec"]["maxUnavailable"] < deployments["whorl"]["spec"]["replicas"]
    (policy,) = _of("NetworkPolicy")
    assert policy["spec"]["podSelector"]["matchLabels"] == labels["redis"]
    (sources,) = policy["spec"]["ingress"]
    (expression,) = sources["from"][0]["podSelector"]["matchExpressions"]
    assert set(expression["values"]) == {name for name in deployments if "envFrom" in _container(name)}
    (rule,) = _named("Ingress", "whorl")["spec"]["rules"]
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": "whorl", "port": {"name": _named("Service", "whorl")["spec"]["ports"][0]["name"]}}
    assert rule["host"] == HOST == _named("Ingress", "whorl")["spec"]["tls"][0]["hosts"][0]


def test_addresses_name_services_of_the_cluster() -> None:
    services = {service["metadata"]["name"] for service in _of("Service")}
    for address in (_named("ConfigMap", "whorl")["data"][name] for name in ("LIBRARY", "STATE")):
        assert urlsplit(address).hostname in services
    assert "redis%3A//redis%3A6379" in _named("ConfigMap", "whorl")["data"]["LIBRARY"]
    assert _named("Service", "redis")["spec"]["ports"][0]["port"] == 6379


@pytest.mark.parametrize("name", ["whorl", "whorl-watch", "redis"])
def test_containers_are_confined_and_their_folders_are_mounted(name: str) -> None:
    pod, container = _pod(_named("Deployment", name)), _container(name)
    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["automountServiceAccountToken"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"cpu", "memory"} == container["resources"]["requests"].keys()
    assert "memory" in container["resources"]["limits"]
    if name == "redis":
        return
    dockerfile = (ROOT / "examples" / "Dockerfile").read_text(encoding="utf-8")
    assert f"useradd --create-home --uid {pod['securityContext']['runAsUser']} whorl" in dockerfile
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert {"/tmp", _named("ConfigMap", "whorl")["data"]["XDG_CACHE_HOME"], "/run/secrets/whorl"} <= mounted
    (secrets,) = (volume["secret"] for volume in pod["volumes"] if "secret" in volume)
    used = set(re.findall(r"/run/secrets/whorl/([\w-]+)", " ".join(_arguments(name))))
    assert {item["path"] for item in secrets["items"]} == used


def test_a_pod_has_time_to_finish_its_requests() -> None:
    pod = _pod(_named("Deployment", "whorl"))
    (program, seconds) = _container("whorl")["lifecycle"]["preStop"]["exec"]["command"]
    assert program == "sleep"
    assert pod["terminationGracePeriodSeconds"] > int(seconds) + DRAIN_S + CLOSING_S
    assert _named("Deployment", "whorl")["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


@contextmanager
def _places(folder: Path) -> Iterator[dict[str, str]]:
    """Yield local places for those of the cluster: a real database and Redis, and folders."""
    database = urlsplit(fresh_database("postgresql"))
    secrets = folder / "secrets"
    secrets.mkdir()
    (secrets / "database-password").write_text(PASSWORD, encoding="utf-8")
    (secrets / "first-key").write_text("f" * 64, encoding="utf-8")
    yield {
        "@database/articles": f"@127.0.0.1:{database.port}{database.path}",
        "redis%3A//redis%3A6379/0": quote(fresh("redis"), safe="/"),
        "/run/secrets/whorl": str(secrets),
    }


@pytest.mark.skipif(os.name != "posix", reason="stops the service with a signal")
def test_replicas_start_together_on_an_empty_database_and_answer_the_probes(tmp_path: Path) -> None:
    container = _container("whorl")
    (port,) = container["ports"]
    assert f"--port={port['containerPort']}" in container["args"]
    with _places(tmp_path) as places, ExitStack() as replicas:
        command = _local(_arguments("whorl"), places | {"/files": str(tmp_path / "files")})
        environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        addresses = [replicas.enter_context(started(command, environment)) for _ in range(2)]
        for address in addresses:
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                request = container[probe]["httpGet"]
                assert request["port"] == port["name"]
                headers = {header["name"]: header["value"] for header in request["httpHeaders"]}
                assert httpx.get(f"{address}{request['path']}", headers=headers, timeout=60).status_code == 200
        headers = {"Host": HOST, "Authorization": f"Bearer {'f' * 64}"}
        with httpx.Client(headers=headers, timeout=60) as client:
            first, second = (f"{address}/v1/libraries/news" for address in addresses)
            assert client.post(f"{first}/documents", json={"id": "a", "text": TEXT}).is_success
            (match,) = client.post(f"{second}/check", json={"text": f"据悉，{TEXT}"}).json()["matches"]
            assert match["id"] == "a"


@pytest.mark.skipif(os.name != "posix", reason="stops the watch with a signal")
def test_the_watch_begins_and_waits_for_its_next_turn(tmp_path: Path) -> None:
    with _places(tmp_path) as places:
        arguments = _arguments("whorl-watch")
        (library,) = (argument for argument in arguments if argument.startswith("postgresql:"))
        (here,) = _local([library], places)
        run([sys.executable, "-m", "whorl", "library", "create", here], tmp_path)
        sites = tmp_path / "sites.toml"
        sites.write_text('contact = "desk@paper.example"\n[[site]]\nstart = "http://127.0.0.1:9/"\n', encoding="utf-8")
        command = _local(arguments, places | {"/etc/whorl/sites.toml": str(sites)})
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        log = tmp_path / "log"
        with log.open("w") as output:
            watch = subprocess.Popen(
                [sys.executable, "-m", "whorl", *command], env=environment, stderr=output, stdout=output
            )
            try:
                until(lambda: watch.poll() is not None or "sites" in log.read_text(encoding="utf-8"))
                assert watch.poll() is None, log.read_text(encoding="utf-8")
            finally:
                watch.send_signal(signal.SIGTERM)
                watch.wait(timeout=60)


@both_languages("docs/DEPLOY")
def test_the_documented_commands_create_what_the_manifests_use(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    (commands,) = re.findall(r"^```sh\n(docker build.*?)^```$", text, re.MULTILINE | re.DOTALL)
    created = set(re.findall(r"create (?:secret \w+|configmap) ([\w-]+)", commands))
    volumes = [volume for deployment in _of("Deployment") for volume in _pod(deployment).get("volumes", ())]
    used = {volume["secret"]["secretName"] for volume in volumes if "secret" in volume}
    used |= {volume["configMap"]["name"] for volume in volumes if "configMap" in volume}
    used |= {entry["secretName"] for entry in _named("Ingress", "whorl")["spec"]["tls"]}
    assert created == used
    keys = {item["key"] for volume in volumes if "secret" in volume for item in volume["secret"]["items"]}
    assert keys | {"sites.toml"} == set(re.findall(r"--from-file=([\w.-]+)", commands))
    assert "--filename examples/kubernetes" in commands
    images = {container["image"] for deployment in _of("Deployment") for container in _pod(deployment)["containers"]}
    assert images == {"whorl:latest", "redis:7"}
    assert "docker build --tag whorl " in commands
