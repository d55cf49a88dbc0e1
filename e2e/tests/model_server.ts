import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const GOOD = "```sql\nSELECT COUNT(*) AS piers FROM piers\n```";

/** What each model of the scripted server does with a request. */
const models: Record<string, (response: ServerResponse, request: IncomingMessage, asked: string) => void> = {
  good: (response) => stream(response, GOOD),
  whole: (response) => json(response, 200, { choices: [{ message: { content: GOOD }, finish_reason: "stop" }], model: "whole" }),
  prose: (response) => stream(response, "There are nine piers, as far as I know."),
  empty: (response) => stream(response, ""),
  two: (response) => stream(response, "SELECT 1 AS first; SELECT COUNT(*) AS piers FROM piers;"),
  deletes: (response) => stream(response, "DELETE FROM piers"),
  attaches: (response) => stream(response, "ATTACH DATABASE 'x.db' AS x"),
  // The first answer has a misspelt column; told so, it mends it.
  mends: (response, _request, asked) =>
    stream(response, asked.includes("no such column") ? "SELECT name FROM piers" : "SELECT nme FROM piers"),
  cut: (response) => {
    events(response);
    response.write(piece("```sql\nSELECT COUNT("));
    setTimeout(() => response.destroy(), 300);
  },
  endless: (response) => {
    events(response);
    const more = setInterval(() => response.write(piece("and then ")), 5);
    response.on("close", () => clearInterval(more));
  },
  // Thinks aloud for some seconds before it answers.
  steady: (response) => {
    events(response);
    let said = 0;
    const more = setInterval(() => {
      said += 1;
      response.write(piece(said <= 60 ? "piers, " : `\n${GOOD}`));
      if (said > 60) {
        clearInterval(more);
        response.end("data: [DONE]\n\n");
      }
    }, 100);
    response.on("close", () => clearInterval(more));
  },
  // Goes away in the middle of its answer.
  leaves: (response) => {
    events(response);
    response.write(piece("```sql\nSELECT COUNT("));
    setTimeout(() => response.destroy(), 3000);
  },
  // Describes a query and its pieces, as the rules ask for it; one of them takes a while.
  describes: (response, _request, asked) => {
    const said = JSON.parse(asked).messages.map((m: { content: string }) => m.content).join("\n");
    const pieces = [...said.matchAll(/"idx":\s*(\d+)/g)].map(([, idx]) => ({
      idx: Number(idx),
      name: `Piece ${idx}`,
      aliases: [],
      description: `Described by the scripted model, piece ${idx}.`,
    }));
    const unique = pieces.filter((piece, at) => pieces.findIndex((other) => other.idx === piece.idx) === at);
    setTimeout(() => stream(response, JSON.stringify({ summary: "Described by the scripted model.", pieces: unique })), 60);
  },
  slow: (response) => void setTimeout(() => stream(response, GOOD), 1500),
  key: (response, request) =>
    request.headers.authorization === "Bearer right-key"
      ? stream(response, GOOD)
      : json(response, 401, { error: { message: "Incorrect API key provided", type: "invalid_request_error" } }),
  busy: (response) => json(response, 429, { error: { message: "Rate limit reached" } }, { "Retry-After": "20" }),
  broken: (response) => json(response, 500, { error: { message: "out of memory" } }),
  // Wants the prompt sent to another address.
  moved: (response) => {
    response.writeHead(307, { Location: "http://localhost:9/v1/chat/completions", ...cors });
    response.end();
  },
  garbage: (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream", ...cors });
    response.end("data: {not json}\n\ndata: [DONE]\n\n");
  },
};

let cors: Record<string, string> = {};
const piece = (text: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;

function events(response: ServerResponse) {
  response.writeHead(200, { "Content-Type": "text/event-stream", ...cors });
}

function stream(response: ServerResponse, text: string) {
  events(response);
  const pieces = text.match(/[\s\S]{1,7}/g) ?? [];
  const next = () => {
    const one = pieces.shift();
    if (one !== undefined) {
      response.write(piece(one));
      setTimeout(next, 2);
    } else {
      response.end(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`);
    }
  };
  next();
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { "Content-Type": "application/json", ...cors, ...headers });
  response.end(JSON.stringify(body));
}

/** A server with the OpenAI-compatible API whose models are scripts. `allows` is whether pages may read its answers. */
export async function modelServer(
  allows = true,
): Promise<{ url: string; requests: string[]; answered: string[]; close: () => Promise<void> }> {
  const requests: string[] = [];
  const answered: string[] = [];
  const tries = new Map<string, number>();
  // Of five questions the first is refused as too many, the second fails and the third is cut, each once; all are slow
  // enough to be overtaken.
  const flaky = (response: ServerResponse, asked: string) => {
    const said = JSON.parse(asked).messages.map((m: { content: string }) => m.content).join("\n");
    const question = said.split("## Question").pop()!.trim().split("\n")[0];
    const before = tries.get(question) ?? 0;
    const place = before === 0 ? tries.size : -1;
    tries.set(question, before + 1);
    if (place >= 0 && place % 5 === 0) return json(response, 429, { error: { message: "Rate limit reached" } }, { "Retry-After": "1" });
    if (place >= 0 && place % 5 === 1) return json(response, 500, { error: { message: "out of memory" } }, { "Retry-After": "1" });
    if (place >= 0 && place % 5 === 2) {
      events(response);
      response.write(piece("```sql\nSELECT COUNT("));
      return void setTimeout(() => response.destroy(), 50);
    }
    response.on("finish", () => answered.push(question));
    setTimeout(() => stream(response, GOOD), 150);
  };
  const allow = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Expose-Headers": "Retry-After" };
  const server: Server = createServer((request, response) => {
    cors = allows ? allow : {};
    if (request.method === "OPTIONS") {
      response.writeHead(204, cors);
      response.end();
    } else if (request.url === "/v1/models") {
      json(response, 200, { data: Object.keys(models).map((id) => ({ id })) });
    } else if (request.url === "/v1/chat/completions") {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        requests.push(body);
        const name = JSON.parse(body).model;
        const model = models[name];
        if (name === "flaky") flaky(response, body);
        else if (model) model(response, request, body);
        else json(response, 404, { error: { message: "The model does not exist", code: "model_not_found" } });
      });
    } else {
      json(response, 404, { error: { message: "not found" } });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answered,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
