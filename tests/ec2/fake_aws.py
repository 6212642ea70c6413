# SPDX-License-Identifier: MIT
"""IMDSv2 and EC2 on a port of 127.0.0.1. Every signature is recomputed with botocore."""
import http.server
import json
import threading
import urllib.parse

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEY, SECRET, TOKEN = "AKIDEXAMPLE", "wJalr/XUtn+FEMI", "sess/ion+token=="


def error(code):
    return f"<Response><Errors><Error><Code>{code}</Code><Message>m</Message></Error></Errors></Response>"


class FakeAws:
    def __init__(self):
        self.imds = {
            "/latest/dynamic/instance-identity/document":
                json.dumps({"region": "eu-west-1", "instanceId": "i-1"}),
            "/latest/meta-data/services/domain": "amazonaws.com",
            "/latest/meta-data/iam/security-credentials/": "role",
            "/latest/meta-data/iam/security-credentials/role": json.dumps(
                {"AccessKeyId": KEY, "SecretAccessKey": SECRET, "Token": TOKEN,
                 "Expiration": "2030-01-01T00:00:00Z"}),
        }
        self.answers = {}  # action -> list of (status, body); the last one stays
        self.requests, self.tokens, self.refuse_token = [], 0, 0
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def reply(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def do_PUT(self):
                fake.tokens += 1
                self.reply(200, f"token-{fake.tokens}")

            def do_GET(self):
                if fake.refuse_token or self.headers["X-aws-ec2-metadata-token"] != f"token-{fake.tokens}":
                    fake.refuse_token = max(0, fake.refuse_token - 1)
                    return self.reply(401, "")
                body = fake.imds.get(self.path)
                self.reply(404 if body is None else 200, body or "")

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if not fake.is_signed(self, body):
                    return self.reply(403, error("SignatureDoesNotMatch"))
                query = dict(urllib.parse.parse_qsl(body))
                fake.requests.append(query)
                answers = fake.answers[query["Action"]]
                self.reply(*(answers.pop(0) if len(answers) > 1 else answers[0]))

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def is_signed(self, handler, body):
        sent = handler.headers["Authorization"] or ""
        if "SignedHeaders=" not in sent or handler.headers["X-Amz-Security-Token"] != TOKEN:
            return False
        names = sent.split("SignedHeaders=")[1].split(",")[0].split(";")
        if "x-amz-security-token" not in names or "host" not in names:
            return False
        request = AWSRequest("POST", self.url + handler.path, data=body,
                             headers={n: handler.headers[n] for n in names})
        request.context["timestamp"] = handler.headers["X-Amz-Date"]
        auth = SigV4Auth(Credentials(KEY, SECRET, TOKEN), "ec2", "eu-west-1")
        signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
        return sent.endswith("Signature=" + signature)

    def close(self):
        self.server.shutdown()
        self.server.server_close()
