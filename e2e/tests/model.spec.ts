import { App } from "../pages/app";
import { expect, test } from "./fixtures";
import { modelServer } from "./model_server";

type Served = Awaited<ReturnType<typeof modelServer>>;
let served: Served;
test.beforeEach(async () => {
  served = await modelServer();
});
test.afterEach(() => served.close());

// The browser itself writes failed requests to the console.
test.use({ allowedErrors: [/Failed to load resource|ERR_|CORS policy/] });

// One of the demo's own, so that no encoder has to be fetched.
const QUESTION = "How many crowded sailings did each route have in August 2024?";

async function openWith(app: App, model: string, more: Record<string, unknown> = {}) {
  await app.open({ model: { address: served.url, way: "Direct", silence_s: 5, ask: { model }, ...more } });
}

test("a model answers with the history, and its prompt can be read", async ({ page }) => {
  const app = new App(page);
  await openWith(app, "good");
  await app.ask(QUESTION);
  await expect(page.getByText("Answered by good.")).toBeVisible();
  await expect(app.sql.getByText("COUNT")).toBeVisible();
  await expect(app.rows.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "See the prompt" }).click();
  const panel = page.getByRole("complementary", { name: "Prompt" });
  await expect(panel.getByText("Rules and question")).toBeVisible();
  await expect(panel.getByText(QUESTION)).toBeVisible();
  expect(served.requests[0]).toContain("CREATE TABLE");
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
});

for (const model of ["whole", "two", "slow"]) {
  test(`an answer that is ${model} is used`, async ({ page }) => {
    const app = new App(page);
    await openWith(app, model);
    await app.ask(QUESTION);
    await expect(page.getByText(`Answered by ${model}.`)).toBeVisible();
    await expect(app.rows.getByRole("row")).toHaveCount(2);
  });
}

test("a query that fails is mended once, with the nearest name", async ({ page }) => {
  const app = new App(page);
  await openWith(app, "mends");
  await app.ask(QUESTION);
  await expect(page.getByText(/Its first query failed: no such column: nme/)).toBeVisible();
  await expect(app.rows.getByRole("row").nth(1)).toBeVisible();
  expect(served.requests[1]).toContain("piers.name");
});

const failures: [string, RegExp][] = [
  ["prose", /no SQL|SELECT/i],
  ["empty", /nothing|empty/i],
  ["deletes", /would change the database/i],
  ["attaches", /would change the database|not run|attach/i],
  ["cut", /cut off/i],
  ["busy", /Try again in 20 seconds/i],
  ["broken", /failed with 500.*out of memory/i],
  ["moved", /sends requests on to another address/i],
  ["garbage", /cannot be read|nothing/i],
  ["key", /key/i],
  ["no-such-model", /no model/i],
];
for (const [model, words] of failures) {
  test(`a model that fails (${model}) is said, and the next question works`, async ({ page }) => {
    const app = new App(page);
    await openWith(app, model);
    await app.ask(QUESTION);
    await expect(page.getByRole("alert").filter({ hasText: words }).first()).toBeVisible();
    await expect(page.getByRole("button", { name: /^Ask/ })).toBeEnabled();
    await page.getByLabel("Who writes the SQL").selectOption({ label: "Adapted, no model" });
    await page.getByRole("button", { name: /^Ask/ }).click();
    await expect(page.getByText(/Adapted from query #\d+|close enough|None of the|Nothing in the history/).first()).toBeVisible();
  });
}

test("an endless answer stops by Esc", async ({ page }) => {
  const app = new App(page);
  await openWith(app, "endless");
  await app.ask(QUESTION);
  await expect(page.getByText(/Answer \d+ tokens/).first()).toBeVisible();
  await app.question.press("Escape");
  await expect(page.getByText("Stopped.").first()).toBeVisible();
  await expect(page.getByRole("button", { name: /^Ask/ })).toBeEnabled();
});

test("three ways are compared with their scores", async ({ page }) => {
  const app = new App(page);
  await openWith(app, "good", { way: "Compare" });
  // Choosing a task asks its question.
  await page.getByRole("combobox", { name: "Gold" }).selectOption({ index: 3 });
  const ways = page.getByRole("region", { name: "Ways compared" });
  await expect(ways.getByRole("listitem")).toHaveCount(3);
  await expect(ways.getByText(/Equal to gold|Different from gold/)).toHaveCount(3);
  await ways.getByRole("listitem").filter({ hasText: "adapted" }).getByRole("button", { name: "Show" }).click();
  await expect(page.getByText(/Adapted from query #\d+|close enough/).first()).toBeVisible();
});

test.describe("the test of a server", () => {
  const address = (page: import("@playwright/test").Page) => page.getByRole("textbox", { name: "Server address" });

  async function tested(page: import("@playwright/test").Page, url: string, model = "good") {
    const app = new App(page);
    await app.open({ model: { address: url, ask: { model } } });
    await page.goto("/#/settings/model");
    await page.getByRole("button", { name: /^Test/ }).click();
  }

  test("names a server that works", async ({ page }) => {
    await tested(page, served.url);
    await expect(page.getByText(/Works\. Answered in/).first()).toBeVisible();
    await expect(page.getByRole("combobox", { name: "Model of the server" })).toHaveValue(/\d+/);
  });

  test("names a server that nobody runs", async ({ page }) => {
    await tested(page, "http://127.0.0.1:9");
    await expect(page.getByText("No server answers at 127.0.0.1:9.").first()).toBeVisible();
  });

  test("names a server that refuses this page", async ({ page }) => {
    const closed = await modelServer(false);
    await tested(page, closed.url);
    await expect(page.getByText(/The server refuses this page\. It answered/).first()).toBeVisible();
    await closed.close();
  });

  test("names a wrong path, a wrong key and an unknown model", async ({ page }) => {
    await tested(page, `${served.url}/v2`);
    await expect(page.getByText("Not found, 404.").first()).toBeVisible();
    await address(page).fill(served.url);
    await page.getByRole("textbox", { name: "Model name" }).fill("key");
    await page.getByRole("button", { name: /^Test/ }).click();
    await expect(page.getByText("Key refused, 401.").first()).toBeVisible();
    await page.getByLabel("Key", { exact: true }).fill("right-key");
    await page.getByRole("button", { name: /^Test/ }).click();
    await expect(page.getByText(/Works\. Answered in/).first()).toBeVisible();
    await page.getByRole("textbox", { name: "Model name" }).fill("goood");
    await page.getByRole("button", { name: /^Test/ }).click();
    await expect(page.getByText(/Unknown model/).first()).toBeVisible();
    await page.getByRole("button", { name: "Use good" }).click();
    await expect(page.getByText(/Works\. Answered in/).first()).toBeVisible();
  });

  test("keeps the key out of storage unless asked", async ({ page }) => {
    await tested(page, served.url);
    await page.getByLabel("Key", { exact: true }).fill("sk-secret");
    const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(await kept()).not.toContain("sk-secret");
    await page.getByLabel("Keep in this browser").check();
    expect(await kept()).toContain("sk-secret");
    await page.getByLabel("Keep in this browser").uncheck();
    expect(await kept()).not.toContain("sk-secret");
  });
});
