# SPDX-License-Identifier: MIT
"""IMDSv2, EC2 and the EBS direct API on a port of 127.0.0.1 or ::1. Every signature is recomputed with botocore."""
import http.server
import json
import socket
import threading
import urllib.parse

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEY, SECRET, TOKEN = "AKIDEXAMPLE", "wJalr/XUtn+FEMI", "sess/ion+token=="


def error(code):
    return f"<Response><Errors><Error><Code>{code}</Code><Message>m</Message></Error></Errors></Response>"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that gave up


class FakeAws:
    def __init__(self, address="127.0.0.1"):
        self.imds = {
            "/latest/dynamic/instance-identity/document":
                json.dumps({"region": "eu-west-1", "instanceId": "i-1"}),
            "/latest/meta-data/services/domain": "amazonaws.com",
            "/latest/meta-data/iam/security-credentials/": "role",
            "/latest/meta-data/iam/security-credentials/role": json.dumps(
                {"AccessKeyId": KEY, "SecretAccessKey": SECRET, "Token": TOKEN,
                 "Expiration": "2030-01-01T00:00:00Z"}),
        }
        self.session_token = TOKEN  # None = of a user, who has none
        self.answers = {}  # action -> list of (status, body); the last one stays
        self.requests, self.tokens, self.refuse_token = [], 0, 0
        self.imds_failures = []  # statuses said first
        self.truncate = False  # an answer that ends before its Content-Length
        # Snapshot -> the indexes of its blocks; what each call gives instead of a page: None, "empty",
        # (status, type, reason) or a whole body; and how many blocks a page has.
        self.snapshots, self.ebs_answers, self.ebs_requests = {}, [], []
        self.page_blocks, self.volume_gib, self.expired_tokens = 10000, 1, 0
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def reply(self, status, body, **headers):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body.encode()) + fake.truncate))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body.encode())
                self.close_connection = True

            def do_PUT(self):
                if fake.imds_failures:
                    return self.reply(fake.imds_failures.pop(0), "")
                fake.tokens += 1
                self.reply(200, f"token-{fake.tokens}")

            def do_ebs(self):
                if not fake.is_signed(self, "", "ebs"):
                    return self.reply(403, '{"message": "m"}', x_amzn_ErrorType="InvalidSignatureException:http://x")
                status, body, error_type = fake.ebs_page(urllib.parse.urlsplit(self.path))
                headers = {"x_amzn_ErrorType": error_type + ":http://internal.amazon.com/"} if error_type else {}
                self.reply(status, body, **headers)

            def do_GET(self):
                if self.path.startswith("/snapshots/"):
                    return self.do_ebs()
                if fake.refuse_token or self.headers["X-aws-ec2-metadata-token"] != f"token-{fake.tokens}":
                    fake.refuse_token = max(0, fake.refuse_token - 1)
                    return self.reply(401, "")
                body = fake.imds.get(self.path)
                self.reply(404 if body is None else 200, body or "")

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if not fake.is_signed(self, body, "ec2"):
                    return self.reply(403, error("SignatureDoesNotMatch"))
                query = dict(urllib.parse.parse_qsl(body))
                fake.requests.append(query)
                answers = fake.answers[query["Action"]]
                self.reply(*(answers.pop(0) if len(answers) > 1 else answers[0]))

            def log_message(self, *args):
                pass

        class Ours(Server):
            address_family = socket.AF_INET6 if ":" in address else socket.AF_INET

        self.server = Ours((address, 0), Handler)
        host = f"[{address}]" if ":" in address else address
        self.url = f"http://{host}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def ebs_page(self, url):
        """As the API: pages may be short or empty while NextToken is set. (status, body, error's type)"""
        query = dict(urllib.parse.parse_qsl(url.query))
        self.ebs_requests.append(query)
        special = self.ebs_answers.pop(0) if self.ebs_answers else None
        if isinstance(special, tuple):
            status, error_type, reason = special
            return status, json.dumps({"Message": "m", "Reason": reason}), error_type
        if isinstance(special, str) and special != "empty":
            return 200, special, ""
        token = query.get("pageToken")
        if token and self.expired_tokens:
            self.expired_tokens -= 1
            return 400, json.dumps({"Message": "expired", "Reason": "INVALID_PAGE_TOKEN"}), "ValidationException"
        assert 100 <= int(query["maxResults"]) <= 10000
        assert token is None or token.startswith("+/=")
        start = int(token[3:]) if token else int(query.get("startingBlockIndex", 0))
        left = [i for i in self.snapshots[url.path.split("/")[2]] if i >= start]
        listed = [] if special == "empty" else left[:self.page_blocks]
        page = {"Blocks": [{"BlockIndex": i, "BlockToken": "AAA+/="} for i in listed], "ExpiryTime": 1.59E9 + 0.5,
                "VolumeSize": self.volume_gib, "BlockSize": 524288}
        if len(listed) < len(left):
            page["NextToken"] = f"+/={left[len(listed)]}"
        return 200, json.dumps(page), ""

    def is_signed(self, handler, body, service):
        sent = handler.headers["Authorization"] or ""
        if "SignedHeaders=" not in sent or handler.headers["X-Amz-Security-Token"] != self.session_token:
            return False
        names = sent.split("SignedHeaders=")[1].split(",")[0].split(";")
        if ("x-amz-security-token" in names) != (self.session_token is not None) or "host" not in names:
            return False
        request = AWSRequest(handler.command, self.url + handler.path, data=body,
                             headers={n: handler.headers[n] for n in names})
        request.context["timestamp"] = handler.headers["X-Amz-Date"]
        auth = SigV4Auth(Credentials(KEY, SECRET, self.session_token), service, "eu-west-1")
        signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
        return sent.endswith("Signature=" + signature)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
