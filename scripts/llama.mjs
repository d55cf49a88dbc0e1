// An OpenAI-compatible server of the model that scripts/model.sh fetches, with node-llama-cpp, which runs on any
// processor: models, and chat completions whole or streamed, one at a time.
// Usage: node scripts/llama.mjs FOLDER PORT [CONTEXT_TOKENS]
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { basename, join } from "node:path";

const [folder, port, contextSize] = process.argv.slice(2);
const found = createRequire(join(folder, "package.json")).resolve("node-llama-cpp");
const { getLlama, LlamaChat } = await import(pathToFileURL(found).href);

const name = basename(folder);
// One thread: several wait for each other in a spin, which costs a busy machine a hundred times over.
const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: "error" });
const model = await llama.loadModel({ modelPath: join(folder, "model.gguf") });
const context = await model.createContext({ contextSize: Number(contextSize ?? 4096), threads: 1 });
const sequence = context.getSequence();

const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
const send = (response, status, body) => {
  response.writeHead(status, { ...headers, "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
};

const history = (messages) => [
  ...messages.map(({ role, content }) =>
    role === "assistant" ? { type: "model", response: [content] } : { type: role === "system" ? "system" : "user", text: content },
  ),
  { type: "model", response: [] },
];

async function complete(asked, response) {
  const id = `chatcmpl-${Date.now()}`;
  const event = (delta, finish_reason = null) =>
    response.write(`data: ${JSON.stringify({ id, object: "chat.completion.chunk", model: name, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  if (asked.stream) response.writeHead(200, { ...headers, "Content-Type": "text/event-stream" });
  const stop = new AbortController();
  response.on("close", () => stop.abort());
  const chat = new LlamaChat({ contextSequence: sequence });
  const prompt = sequence.tokenMeter.getState();
  const answer = await chat.generateResponse(history(asked.messages), {
    temperature: asked.temperature ?? 0.7,
    maxTokens: asked.max_tokens ?? asked.max_completion_tokens,
    customStopTriggers: [asked.stop ?? []].flat(),
    signal: stop.signal,
    stopOnAbortSignal: true,
    onTextChunk: (text) => asked.stream && event({ content: text }),
  });
  const used = sequence.tokenMeter.diff(prompt);
  chat.dispose({ disposeSequence: false });
  const reason = answer.metadata.stopReason === "maxTokens" ? "length" : "stop";
  const usage = {
    prompt_tokens: used.usedInputTokens,
    completion_tokens: used.usedOutputTokens,
    total_tokens: used.usedInputTokens + used.usedOutputTokens,
  };
  if (asked.stream) {
    event({}, reason);
    response.write(`data: ${JSON.stringify({ id, object: "chat.completion.chunk", model: name, choices: [], usage })}\n\n`);
    response.end("data: [DONE]\n\n");
  } else {
    send(response, 200, {
      id,
      object: "chat.completion",
      model: name,
      choices: [{ index: 0, message: { role: "assistant", content: answer.response }, finish_reason: reason }],
      usage,
    });
  }
}

// One sequence: requests wait for each other.
let last = Promise.resolve();
createServer(async (request, response) => {
  if (request.method === "OPTIONS") return response.writeHead(204, headers).end();
  if (request.url === "/health") return send(response, 200, { status: "ok" });
  if (request.url === "/v1/models") return send(response, 200, { object: "list", data: [{ id: name, object: "model" }] });
  if (request.url !== "/v1/chat/completions") return send(response, 404, { error: { message: "There is no such address here." } });
  let body = "";
  for await (const piece of request) body += piece;
  const answer = async () => {
    if (response.destroyed) return;
    try {
      await complete(JSON.parse(body), response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else send(response, 400, { error: { message: String(error) } });
    }
  };
  last = last.then(answer);
}).listen(Number(port), "127.0.0.1");
