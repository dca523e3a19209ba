import pytest

from whorl.errors import InputError, UsageError
from whorl.monitor.addresses import demand_public


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"])
def test_public_addresses_may_be_asked(address: str) -> None:
    assert demand_public("site.example", [address, address]) == (address,)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.1.1", "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1", "240.0.0.1", "198.18.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "fec0::1", "ff02::1",
        "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:808:808:0:0:80ff:fffe", "not an address",
    ],
)  # fmt: skip
def test_the_inside_of_a_network_is_not_asked_under_any_name(address: str) -> None:
    with pytest.raises(InputError) as refused:
        demand_public("site.example", ["8.8.8.8", address])
    assert address in refused.value.message


def test_what_is_allowed_may_be_asked() -> None:
    assert demand_public("Intranet.Example.", ["10.0.0.1"], ["intranet.example"]) == ("10.0.0.1",)
    assert demand_public("desk", ["10.0.0.1", "8.8.8.8"], ["10.0.0.0/8"]) == ("10.0.0.1", "8.8.8.8")
    assert demand_public("[::1]", ["::1"], ["::1"]) == ("::1",)
    with pytest.raises(InputError):
        demand_public("desk", ["10.0.0.1", "192.168.0.1"], ["10.0.0.0/8"])
    with pytest.raises(InputError):
        demand_public("evil.intranet.example", ["10.0.0.1"], ["intranet.example"])


def test_a_host_without_an_address_is_told() -> None:
    with pytest.raises(InputError, match="has no address"):
        demand_public("none.example", [])


@pytest.mark.parametrize("allowed", [["10.0.0.0/99"], "10.0.0.0/8", [""]])
def test_what_is_no_network_is_told(allowed: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        demand_public("site.example", ["8.8.8.8"], allowed)
    assert refused.value.hint
