import { readFileSync } from "node:fs";

import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { someTasks } from "../pages/states";
import { expect, test } from "./fixtures";
import { modelServer } from "./model_server";

const rail = (page: Page) => page.getByRole("complementary", { name: "Runs" });
const setup = (page: Page) => page.getByRole("complementary", { name: "Set-up" });
const results = (page: Page) => page.getByRole("region", { name: "Results", exact: true });
const answers = (page: Page) => page.getByRole("table", { name: "Answers" });
/** A notice of the Lab; the live region says the same to those who do not see it. */
const said = (page: Page, words: string | RegExp) => page.getByRole("main").getByRole("status").filter({ hasText: words });
const scores = (page: Page) => results(page).getByRole("row").nth(1).getByRole("cell");

async function openTasks(page: Page, count: number) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("main").getByRole("button", { name: "Open a task file" }).click();
  await (await chooser).setFiles(someTasks(count));
  await expect(page.getByRole("main").getByRole("heading", { name: new RegExp(`${count} tasks`) })).toBeVisible();
}

async function saved(page: Page, line: RegExp) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: line }).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: readFileSync((await file.path())!, "utf8") };
}

test("one click runs the demo's tasks without a model; every number opens; the file gives the same numbers", async ({ page }) => {
  test.setTimeout(300_000);
  const app = new App(page);
  await app.open();
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/#\/lab$/);
  await page.getByRole("main").getByRole("button", { name: "Run the demo’s 40 tasks" }).click();
  await expect(page.getByRole("progressbar", { name: "Answers" })).toBeVisible();
  await expect(rail(page).getByText("40 of 40")).toBeVisible({ timeout: 240_000 });

  // Score, interval, retrieval; no model, so no calls.
  const row = scores(page);
  await expect(row.nth(2)).toHaveText("40");
  const score = await row.nth(3).innerText();
  expect(Number(score)).toBeGreaterThan(20);
  await expect(row.nth(4).getByRole("img", { name: /bird-ex .* 95 % interval/ })).toBeVisible();
  expect(Number(await row.nth(6).innerText())).toBeGreaterThan(30);
  await expect(row.nth(8)).toHaveText("–");
  await expect(page.getByRole("region", { name: "F1 by type" }).getByRole("img")).toBeVisible();
  await expect(page.getByRole("region", { name: "Sweep of shots" }).getByRole("img", { name: /F1 is highest/ })).toBeVisible();

  // The list, by keyboard.
  await expect(answers(page).getByRole("row")).toHaveCount(41);
  const first = answers(page).getByRole("button").first();
  await first.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const answer = page.getByRole("complementary", { name: "Answer" });
  await expect(answer.getByText("Task 30001")).toBeVisible();
  await expect(answer.getByRole("region", { name: "Gold" })).toBeVisible();
  await expect(answer.getByText(/needed items, precision/)).toBeVisible();
  await page.keyboard.press("j");
  await expect(answer.getByText("Task 30002")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(answer).toBeHidden();
  await page.getByRole("radio", { name: "Different" }).click();
  const wrong = (await answers(page).getByRole("row").count()) - 1;
  expect(wrong).toBe(Math.round(40 - (40 * Number(score)) / 100));

  // One of them with its rows against gold.
  await answers(page).getByRole("button").first().click();
  await answer.getByRole("button", { name: "Show the rows against gold" }).click();
  await expect(app.score.getByText(/Different|Not compared/).first()).toBeVisible();
  await page.goBack();
  await expect(rail(page).getByText("40 of 40")).toBeVisible();

  // Scored again: the same numbers; by another rule: other ones.
  await page.getByRole("button", { name: "Score again" }).click();
  await expect(said(page, "40 tasks scored again by bird-ex: the same numbers.")).toBeVisible();
  await page.getByRole("main").getByRole("combobox", { name: "Scoring" }).first().selectOption({ label: "soft-f1" });
  await page.getByRole("button", { name: "Score again" }).click();
  await expect(said(page, "40 tasks scored by soft-f1.")).toBeVisible();
  await page.getByRole("main").getByRole("combobox", { name: "Scoring" }).first().selectOption({ label: "bird-ex" });
  await page.getByRole("button", { name: "Score again" }).click();
  await expect(said(page, "40 tasks scored by bird-ex.")).toBeVisible();
  await expect(scores(page).nth(3)).toHaveText(score);

  // Exports.
  const csv = await saved(page, /as CSV/);
  expect(csv.name).toMatch(/\.csv$/);
  expect(csv.text).toContain(`40,`);
  expect(csv.text.split("\n")[1]).toContain(`,${score},`);
  const json = JSON.parse((await saved(page, /as JSON/)).text);
  expect(json[0].score[1].toFixed(1)).toBe(score);
  expect((await saved(page, /as Markdown/)).text).toContain("| adapt | history qc |");
  expect((await saved(page, /as LaTeX/)).text).toContain("\\begin{tabular}");
  const run = await saved(page, /Run files/);
  expect(run.text.trim().split("\n")).toHaveLength(41);
  expect(run.text).not.toContain("127.0.0.1");

  // Still there after a reload, removed, brought back.
  await page.reload();
  await app.ready();
  const line = rail(page).getByRole("button", { name: /adapt with history/ });
  await line.click();
  await expect(scores(page).nth(3)).toHaveText(score);
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: "Remove this experiment" }).click();
  await expect(line).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(line).toHaveCount(1);

  // The file shows the same report, and scores the same.
  const chooser = page.waitForEvent("filechooser");
  await rail(page).getByRole("button", { name: "Open a run file" }).click();
  await (await chooser).setFiles({ name: run.name, mimeType: "application/jsonl", buffer: Buffer.from(run.text) });
  await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toContainText("adapt-with-history-adapt-history");
  await expect(scores(page).nth(3)).toHaveText(score);
  await page.getByRole("button", { name: "Score again" }).click();
  await expect(said(page, "40 tasks scored again by bird-ex: the same numbers.")).toBeVisible();
});

test.describe("with a model", () => {
  test.use({ allowedErrors: [/Failed to load resource|ERR_|CORS policy/] });
  let served: Awaited<ReturnType<typeof modelServer>>;
  test.beforeEach(async () => {
    served = await modelServer();
  });
  test.afterEach(() => served.close());

  async function begin(page: Page, tasks: number, model: string) {
    const app = new App(page);
    await app.open({ model: { address: served.url, silence_s: 5, ask: { model } } });
    await page.evaluate(() => (location.hash = "#/lab"));
    await openTasks(page, tasks);
    const form = setup(page);
    await form.getByRole("checkbox", { name: "history" }).uncheck();
    await form.getByRole("checkbox", { name: "none" }).check();
    await form.getByRole("checkbox", { name: /^adapt/ }).uncheck();
    await form.getByRole("checkbox", { name: /^direct/ }).check();
    await form.getByRole("textbox", { name: "At a time" }).fill("3");
    return app;
  }

  test("twenty tasks survive errors, 429s, cut streams and a reload in the middle; each is asked once", async ({ page }) => {
    test.setTimeout(240_000);
    const app = await begin(page, 20, "flaky");
    await expect(setup(page).getByText("Calls, about")).toBeVisible();
    await setup(page).getByRole("button", { name: "Start" }).click();
    await expect.poll(() => served.answered.length, { timeout: 60_000 }).toBeGreaterThan(5);
    await page.reload();
    await app.ready();
    const line = rail(page).getByRole("button", { name: /direct with none/ });
    await expect(line.getByText("broken off")).toBeVisible();
    await line.click();
    await expect(page.getByText(/The tab that ran this was closed at answer \d+/)).toBeVisible();
    // The demo's own tasks are open again; the experiment brings its own.
    await page.getByRole("button", { name: "Go on" }).click();
    await expect(line.getByText("20 of 20")).toBeVisible({ timeout: 120_000 });
    const run = await saved(page, /Run files/);
    const outcomes = run.text.trim().split("\n").slice(1).map((text) => JSON.parse(text));
    expect(outcomes.map((one) => one.place)).toEqual([...Array(20).keys()]);
    expect(outcomes.every((one) => one.requests === 1 && one.sql.includes("piers") && one.scored.mode === "bird-ex")).toBe(true);
    expect(run.text).not.toContain(served.url);
    // Nothing twice, but for what was on its way when the page went.
    expect(new Set(served.answered).size).toBe(20);
    expect(served.answered.length).toBeLessThanOrEqual(23);

    // The same again costs nothing but what was not written yet when the page went: answers are remembered.
    const asked = served.requests.length;
    await setup(page).getByRole("button", { name: "Duplicate" }).click();
    await openTasks(page, 20);
    await setup(page).getByRole("button", { name: "Start" }).click();
    await expect(rail(page).getByText("20 of 20")).toHaveCount(2, { timeout: 60_000 });
    expect(served.requests.length - asked).toBeLessThanOrEqual(10);
  });

  test("a limit pauses the run; raised, it goes on", async ({ page }) => {
    await begin(page, 12, "good");
    await setup(page).getByRole("textbox", { name: "Calls" }).fill("5");
    await expect(setup(page).getByText("over the limit: 12")).toBeVisible();
    await setup(page).getByRole("button", { name: "Start" }).click();
    await expect(page.getByText(/The limit of 5 requests is reached.*Nothing is lost/)).toBeVisible({ timeout: 60_000 });
    expect(served.requests.length).toBe(5);
    await expect(rail(page).getByText("5 of 12, at budget")).toBeVisible();
    await setup(page).getByRole("textbox", { name: "Calls" }).fill("12");
    await page.getByRole("button", { name: "Go on" }).click();
    await expect(rail(page).getByText("12 of 12")).toBeVisible({ timeout: 60_000 });
    expect(served.requests.length).toBe(12);
  });

  test("a run is paused, cancelled and gone on with", async ({ page }) => {
    await begin(page, 12, "slow");
    await setup(page).getByRole("button", { name: "Start" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await expect(page.getByText(/answers are to come/)).toBeVisible({ timeout: 30_000 });
    const asked = served.requests.length;
    expect(asked).toBeLessThan(12);
    await page.getByRole("button", { name: "Go on" }).click();
    await expect.poll(() => served.requests.length).toBeGreaterThan(asked);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(rail(page).getByText(/cancelled at \d+/)).toBeVisible();
    await page.getByRole("button", { name: "Go on" }).click();
    await expect(rail(page).getByText("12 of 12")).toBeVisible({ timeout: 60_000 });
  });

  test("a server that refuses the key holds the run and says so", async ({ page }) => {
    await begin(page, 6, "key");
    await setup(page).getByRole("button", { name: "Start" }).click();
    await expect(page.getByText(/does not accept the key.*Nothing is lost/)).toBeVisible();
    await expect(page.getByRole("button", { name: "Go on" })).toBeEnabled();
  });
});

test("what is no run file is said", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.evaluate(() => (location.hash = "#/lab"));
  const chooser = page.waitForEvent("filechooser");
  await rail(page).getByRole("button", { name: "Open a run file" }).click();
  await (await chooser).setFiles(someTasks(3));
  await expect(page.getByText(/This is no run file\. A task file is opened with/)).toBeVisible();
});

test("on a phone: chips open runs and set-up, nothing scrolls sideways", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const app = new App(page);
  await app.open();
  await page.getByRole("navigation", { name: "Main" }).last().getByRole("link", { name: "Lab" }).click();
  await openTasks(page, 3);
  await page.getByRole("main").getByRole("button", { name: "Set-up" }).click();
  await setup(page).getByRole("button", { name: "Start" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("main").getByRole("button", { name: "Runs", exact: true }).click();
  await expect(rail(page).getByText("3 of 3")).toBeVisible({ timeout: 120_000 });
  await rail(page).getByRole("button", { name: "Close" }).click();
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(sideways).toBe(0);
  await answers(page).getByRole("button").first().click();
  await expect(page.getByRole("complementary", { name: "Answer" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("complementary", { name: "Answer" })).toBeHidden();
});
