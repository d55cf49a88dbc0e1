import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";
import { realModel } from "./real_model";

const data = process.env.QUERYLORE_DATA ?? "../../shared/data";
const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

const script = [
  "-- How many piers are open to the public?",
  "SELECT COUNT(*) FROM piers WHERE zone > 0;",
  "select count(*)  from piers where zone > 0;",
  "SELECT name FROM vessels ORDER BY seats DESC LIMIT 3; SELECT 'a;b' AS semicolon FROM piers;",
  "SELECT FROM WHERE;",
  "DELETE FROM piers;",
].join("\r\n");

test("a script is read, reported line by line, indexed in the page and answers", async ({ page }) => {
  test.setTimeout(240_000);
  const app = new App(page);
  await app.open();
  await app.openFile({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await app.addHistory(file("team.sql", "\ufeff" + script));
  const dialog = page.getByRole("dialog", { name: "Add history" });
  await dialog.getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText("1 merged, 2 skipped")).toBeVisible();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 200_000 });
  await app.ask("How many piers can the public use?");
  await expect(page.getByText(/Adapted from query #1/)).toBeVisible({ timeout: 60_000 });
  // The report opens from both places, closes and downloads.
  await app.rail.getByRole("button", { name: "Import report" }).click();
  const report = page.getByRole("dialog", { name: "Import report" });
  await expect(report.getByText("not a query (DELETE)")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(report).toBeHidden();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await page.getByRole("main").getByRole("button", { name: "Import report" }).click();
  const download = page.waitForEvent("download");
  await report.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("import-report.txt");
  await page.keyboard.press("Escape");
  // Vectors are kept: after a reload nothing is embedded again.
  await page.reload();
  await app.ready();
  await page.getByRole("link", { name: "Ask" }).first().click();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible();
});

test("files that are no history say what they are", async ({ page }) => {
  const app = new App(page);
  await app.open();
  for (const [name, content] of [
    ["empty.sql", ""],
    ["broken.json", '[{"sql": "SELECT 1"'],
    ["ferries.sqlite", norhaven],
  ] as const) {
    await app.addHistory({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
    const dialog = page.getByRole("dialog", { name: "Add history" });
    await expect(dialog.getByRole("alert")).toContainText("Nothing was changed");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  }
});

test("superhero with its BIRD history answers at least 10 questions with rows", async ({ page }) => {
  const bird = join(data, "bird");
  test.skip(!existsSync(bird), `no benchmark data in ${data}`);
  test.setTimeout(900_000);
  const app = new App(page);
  await app.open();
  await app.openFile(join(bird, "dev_databases/superhero/superhero.sqlite"));
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await app.addHistory(join(bird, "dev.json"));
  const dialog = page.getByRole("dialog", { name: "Add history" });
  await dialog.getByText("superhero").first().click();
  await dialog.getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 300_000 });
  const questions = [
    "How many superheroes have green eyes?",
    "List the powers of Spider-Man",
    "What is the average height of superheroes from DC Comics?",
    "Which superheroes have no hair?",
    "How many superheroes can fly?",
    "Who is the publisher of Batman?",
    "List the names of villains taller than 200 cm",
    "Which eye colours do Marvel Comics heroes have?",
    "What is the percentage of female superheroes?",
    "Name the fastest superhero",
    "What is the full name of Superman?",
  ];
  let answered = 0;
  for (const question of questions) {
    await app.ask(question);
    await expect(page.getByRole("button", { name: /^Ask/ })).toBeEnabled({ timeout: 60_000 });
    if (await page.getByText(/Adapted from query #\d+/).isVisible()) answered += 1;
  }
  expect(answered).toBeGreaterThanOrEqual(10);

  const model = await realModel();
  test.info().annotations.push({ type: "real model", description: model ? "asked" : "skipped: make model fetches it" });
  if (!model) return;
  try {
    await page.goto("/#/settings/model");
    await page.getByRole("textbox", { name: "Server address" }).fill(model.url);
    await page.getByRole("button", { name: /^Test/ }).click();
    await expect(page.getByText(/Works\. Answered in/).first()).toBeVisible({ timeout: 60_000 });
    await expect(page.getByText(/Streams, gives (no )?log probabilities/)).toBeVisible();
    await page.goto("/#/ask");
    await page.getByLabel("Who writes the SQL").selectOption({ label: "Direct, with model" });
    let written = 0;
    for (const question of ["How many superheroes have green eyes?", "Who is the publisher of Batman?"]) {
      await app.ask(question);
      await expect(page.getByRole("button", { name: /^Ask/ })).toBeEnabled({ timeout: 180_000 });
      if (await page.getByText(/^Answered by/).first().isVisible()) written += 1;
    }
    // The model is small: one of the two must come out as SQL that runs.
    expect(written).toBeGreaterThanOrEqual(1);
    await page.getByRole("button", { name: "See the prompt" }).click();
    await expect(page.getByRole("complementary", { name: "Prompt" }).getByText(/Retrieved examples, 5/)).toBeVisible();
  } finally {
    model.close();
  }
});

test("odd questions are answered or refused in words", async ({ page }) => {
  test.setTimeout(240_000);
  const app = new App(page);
  await app.open();
  for (const question of ["去年有多少班次取消了？", "x".repeat(10_000), "'; DROP TABLE piers; --"]) {
    await app.ask(question);
    await expect(page.getByText(/Adapted from query #\d+|Nothing in the history|None of the/).first()).toBeVisible({ timeout: 120_000 });
  }
});
