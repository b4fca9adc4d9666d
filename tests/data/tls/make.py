"""Makes the certificates of the tests of TLS (needs the package `cryptography`). The keys of the
authorities are thrown away; the one key that stays is the test server's, which nothing outside of
the tests trusts."""

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HERE = Path(__file__).parent
FROM, TO = dt.datetime(2020, 1, 1), dt.datetime(2099, 12, 31)
LOCAL = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def made(file, subject, issuer, key, signer, *, names=(), start=FROM, end=TO, ca=False,
         usage=ExtendedKeyUsageOID.SERVER_AUTH):
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(start).not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    if not ca:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    cert = builder.sign(signer, hashes.SHA256())
    if file:
        (HERE / file).write_bytes(cert.public_bytes(serialization.Encoding.PEM))


def key():
    return ec.generate_private_key(ec.SECP256R1())


ca, stranger, server = key(), key(), key()
(HERE / "server.key").write_bytes(server.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
CA = "burntop test"
made("ca.pem", CA, CA, ca, ca, ca=True)
leaf = dict(subject="localhost", issuer=CA, key=server, signer=ca, names=LOCAL)
made("good.pem", **leaf)
made("expired.pem", **leaf, end=dt.datetime(2021, 1, 1))
made("not-yet.pem", **leaf, start=dt.datetime(2098, 1, 1))
made("other-host.pem", **{**leaf, "names": [x509.DNSName("prom.example.com")]})
made("name-only.pem", **{**leaf, "subject": "127.0.0.1", "names": []})
made("stranger.pem", **{**leaf, "issuer": "somebody else", "signer": stranger})
# An authority whose key is shorter than anybody should trust.
short = rsa.generate_private_key(65537, 1024)
made("weak-ca.pem", "short", "short", short, short, ca=True)
made("weak.pem", **{**leaf, "issuer": "short", "signer": short})
made("client-only.pem", **leaf, usage=ExtendedKeyUsageOID.CLIENT_AUTH)
made("self-signed.pem", **{**leaf, "issuer": "localhost", "signer": server})

# What a company's proxy shows that looks into TLS, in the place of AWS's endpoints.
inspector = key()
made("aws-ca.pem", "company", "company", inspector, inspector, ca=True)
made("aws.pem", "company proxy", "company", server, inspector, names=[
    x509.DNSName(name) for name in (
        "*.amazonaws.com", "*.us-east-1.amazonaws.com", "*.pricing.us-east-1.amazonaws.com",
        "*.s3.us-east-1.amazonaws.com", "*.s3.eu-west-1.amazonaws.com",
        "*.sagemaker.us-east-1.amazonaws.com")])
