import { readFileSync } from "node:fs";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";
import { modelServer } from "./model_server";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const QUESTION = "How many crowded sailings did each route have in August 2024?";

test("versions, features and timings are shown, and the report is copied", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const app = new App(page);
  await app.open();
  await app.ask(QUESTION);
  await expect(page.getByText(/Adapted from query #\d+/)).toBeVisible();
  await page.getByRole("link", { name: "Settings" }).first().click();
  await page.getByRole("main").getByRole("link", { name: "Diagnostics" }).click();
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: "Diagnostics", level: 1 })).toBeVisible();
  await expect(page).toHaveTitle("Diagnostics · Querylore");
  const value = (name: string) => main.locator("dt", { hasText: new RegExp(`^${name}$`) }).locator("xpath=following-sibling::dd[1]");
  await expect(value("SQLite")).toHaveText(/^3\.\d+\.\d+$/);
  await expect(value("Page")).toHaveText(/^\d+\.\d+\.\d+, /);
  await expect(value("Cross-origin isolation")).toHaveText(/yes/);
  await expect(value("Files \\(OPFS\\)")).toHaveText(/yes/);
  await expect(value("WebAssembly SIMD")).toHaveText(/yes/);
  await expect(value("Memory of the page")).toHaveText(/MB$/);
  await expect(value("Memory of the database worker")).toHaveText(/MB$/);
  await expect(value("History")).toHaveText("134 queries, 263 items");
  await expect(value("Retrieve")).toHaveText(/ (ms|s)$/);
  await expect(value("Rows")).toHaveText("9");
  await page.getByRole("button", { name: "Copy report" }).click();
  await expect(page.getByText("Copied report")).toBeVisible();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toContain("SQLite: 3.");
  expect(report).toMatch(/Browser: Chrome.* on Linux/);
  expect(report).toContain("Retrieve: ");
  // What is copied can be read before.
  await page.getByText("The report as it is copied").click();
  await expect(page.getByLabel("Report", { exact: true })).toHaveText(report);
});

test.describe("with troubles", () => {
  test.use({ allowedErrors: [/Failed to load resource|ERR_|CORS policy|planted/] });

  test("they are listed, and nothing of them but their kind is in the report", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const app = new App(page);
    const secrets = { address: "http://127.0.0.1:9/planted-path", headers: "X-Planted: planted-value", ask: { model: "planted-model" } };
    await app.open({ model: secrets });
    await app.openFile({ name: "planted-file.db", mimeType: "application/octet-stream", buffer: Buffer.from("no database ".repeat(200)) });
    await expect(page.getByRole("alert").filter({ hasText: "planted-file" })).toBeVisible();
    await app.openFile({ name: "planted-workspace.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
    await expect(page.getByRole("button", { name: "Database" })).toHaveText("planted-workspace");
    await app.menu("Norhaven");
    await page.getByRole("button", { name: /The 3 busiest piers/ }).click();
    await expect(app.rows.getByRole("grid")).toBeVisible();
    await app.runSql("SELECT planted_column FROM piers");
    await expect(page.getByText(/no such column: planted_column/).first()).toBeVisible();
    await page.evaluate(() => void setTimeout(() => { throw new Error("planted script"); }));
    await page.goto("/#/settings/model");
    await page.getByLabel("Key", { exact: true }).fill("sk-planted-key");
    await page.getByRole("button", { name: /^Test/ }).click();
    await expect(page.getByText(/No server answers/).first()).toBeVisible();
    await app.find("diagnostics");
    await page.keyboard.press("Enter");
    const main = page.getByRole("main");
    await expect(main.getByText(/Answer: no such column: planted_column/)).toBeVisible();
    await expect(main.getByText(/Script: .*planted script/)).toBeVisible();
    await expect(main.getByText(/File: “planted-file.db”/)).toBeVisible();
    await expect(main.getByText("planted-workspace", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Copy report" }).click();
    await expect(page.getByText("Copied report")).toBeVisible();
    const report = await page.evaluate(() => navigator.clipboard.readText());
    expect(report).not.toContain("planted");
    for (const line of ["Answer: SQLite refused a query", "Script: a script failed", "File: a file was not opened", "Key given: yes", "Extra headers: 1", "Server: this machine, http", "failed at the step “Reached”"]) {
      expect(report).toContain(line);
    }
    await page.getByRole("button", { name: "Clear the list of errors" }).click();
    await expect(main.getByText("Since the page was opened", { exact: true })).toBeVisible();
  });

  test("a worker that dies is in the list", async ({ page }) => {
    const workers: import("@playwright/test").Worker[] = [];
    page.on("worker", (worker) => workers.push(worker));
    const app = new App(page);
    await app.open();
    const database = workers.find((worker) => worker.url().includes("db_worker"));
    await database?.evaluate(() => { setTimeout(() => { throw new Error("planted end"); }, 0); }).catch(() => {});
    await page.goto("/#/diagnostics");
    await expect(page.getByText(/Worker: db_worker\.js: .*planted end/)).toBeVisible();
    await expect(page.getByText("its worker is not running", { exact: true })).toBeVisible();
  });
});

test.describe("answers of a model", () => {
  let served: Awaited<ReturnType<typeof modelServer>>;
  test.beforeEach(async () => {
    served = await modelServer();
  });
  test.afterEach(() => served.close());

  test("are kept over a reload: a job that was interrupted goes on", async ({ page, context }) => {
    const app = new App(page);
    await app.open({ encoder: "tiny", model: { address: served.url, ask: { model: "describes" } } });
    const describe = async () => {
      await page.goto("/#/settings/model");
      await page.getByRole("button", { name: "Describe the history" }).click();
      await expect(page.getByText(/\d+ requests, about/)).toBeVisible();
    };
    await describe();
    await expect(page.getByText(/^134 requests, about/)).toBeVisible();
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("link", { name: "Ask", exact: true }).first().click();
    await expect(app.rail.getByText(/^([4-9]\d|1\d\d) of 134 queries/)).toBeVisible();
    await page.reload();
    await app.ready();
    const before = served.requests.length;
    expect(before).toBeLessThan(134);
    await describe();
    const cost = (await page.getByText(/\d+ requests, about/).textContent()) ?? "";
    const remembered = Number(/(\d+) are remembered/.exec(cost)?.[1] ?? 0);
    expect(remembered).toBeGreaterThan(10);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("link", { name: "Ask", exact: true }).first().click();
    await expect(page.getByText(/134 queries and \d+ items described by the model/)).toBeVisible({ timeout: 60_000 });
    // Only what was not remembered was asked for again.
    expect(served.requests.length - before).toBe(134 - remembered);
    await expect(app.rail.getByText(/Indexed/)).toBeVisible({ timeout: 60_000 });

    // All of them are kept, another tab knows them, and they can be cleared there.
    await page.reload();
    await app.ready();
    await page.goto("/#/settings/privacy");
    await expect(page.getByText(/^134 answers, \d/)).toBeVisible();
    const kept = await page.evaluate(async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("model-answers");
      return (await (await folder.getFileHandle("answers.json")).getFile()).text();
    });
    expect(kept).toContain("Described by the scripted model");
    expect(kept).not.toContain(served.url);
    const other = await context.newPage();
    await other.goto("/#/settings/privacy");
    await expect(other.getByText(/^134 answers, \d/)).toBeVisible();
    await other.getByRole("button", { name: "Clear answers" }).click();
    await expect(other.getByText("None is kept.", { exact: true })).toBeVisible();
    await expect(page.getByText("None is kept.", { exact: true })).toBeVisible();
    await page.reload();
    await app.ready();
    await expect(page.getByText("None is kept.", { exact: true })).toBeVisible();
  });
});
