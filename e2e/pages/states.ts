import { readFileSync } from "node:fs";

import { expect, type Page } from "@playwright/test";

import { App } from "./app";

/** Looks at the page in a state: takes a picture of it, or checks it. */
export type Look = (name: string) => Promise<void>;

/** One way through the page, with the states on it. */
export type Walk = (page: Page, look: Look, model: string) => Promise<void>;

const QUESTION = "On-time rate by month on the Harbour Loop in fiscal 2024";
const CROWDED = "How many crowded sailings did each route have in August 2024?";
const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const file = (name: string, content: Buffer | string) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.isBuffer(content) ? content : Buffer.from(content),
});

const go = async (page: Page, hash: string) => {
  await page.evaluate((h) => (location.hash = h), hash);
  await expect(page.getByRole("main").getByRole("heading").first()).toBeAttached();
};

/** Whether side columns are sheets, opened from chips. */
const narrow = (page: Page) => (page.viewportSize()?.width ?? 0) <= 960;

/** Opens the sheet of the left column, where it is one. */
async function rail(page: Page, chip: RegExp) {
  if (narrow(page)) await page.getByRole("main").getByRole("button", { name: chip }).first().click();
}

/** Closes what lies over the page. */
async function shut(page: Page) {
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

async function addHistory(app: App, content: Parameters<App["addHistory"]>[0]) {
  const chooser = app.page.waitForEvent("filechooser");
  const main = app.page.getByRole("main").getByRole("button", { name: "Add history" });
  if (await main.count()) {
    await main.first().click();
  } else {
    await rail(app.page, /History|queries|tables/);
    await app.rail.getByRole("button", { name: "Add history" }).click();
  }
  await (await chooser).setFiles(content);
}

const asking: Walk = async (page, look) => {
  const app = new App(page);
  await app.open();
  await look("ask");
  await app.ask(QUESTION);
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await look("answer");
  await app.sql.getByRole("tab", { name: "Changes" }).click();
  await look("answer-changes");
  await app.sql.getByRole("tab", { name: /^Source/ }).click();
  await look("answer-source");
  await app.knowledge.getByRole("listitem").getByRole("button").first().click();
  await expect(page.getByRole("complementary", { name: "Item" })).toBeVisible();
  await look("answer-item");
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Gold" }).selectOption({ index: 3 });
  await expect(app.score.getByText(/^(Equal|Different)$/)).toBeVisible();
  await look("score");
  await app.rows.getByRole("radio", { name: "Against gold" }).click();
  await look("score-against-gold");
  await app.rows.getByRole("radio", { name: "Rows" }).click();
  await app.ask(CROWDED);
  await expect(app.rows.getByRole("heading", { name: "9 rows" })).toBeVisible();
  await app.rows.getByRole("radio", { name: "Chart" }).click();
  await expect(app.rows.getByRole("img")).toBeVisible();
  await look("chart");
  await app.rows.getByRole("radio", { name: "Rows" }).click();
  await app.rows.getByRole("grid").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await look("value-dialog");
  await shut(page);
  await page.getByRole("combobox", { name: "Gold" }).selectOption("sql");
  await page.getByRole("dialog", { name: "Gold SQL" }).getByRole("textbox").fill("SELECT nme FROM piers");
  await look("gold-dialog");
  await shut(page);
  await app.edit();
  await look("editing");
  await app.runSql("SELECT nme FROM piers");
  await expect(app.sql.getByRole("button", { name: /^Use name/ })).toBeVisible();
  await look("error-column");
  await app.runSql("SELEC 1");
  await expect(page.getByText(/syntax error|SELECT/).first()).toBeVisible();
  await look("error-syntax");
  await app.runSql("DELETE FROM piers");
  await expect(page.getByText(/would change the database/).first()).toBeVisible();
  await look("refused");
  await app.runSql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n");
  const stop = page.getByRole("button", { name: /^Stop/ }).first();
  await expect(stop).toBeVisible();
  await look("running");
  await stop.click();
  await expect(page.getByText("Stopped.").first()).toBeVisible();
  await look("stopped");
  await app.runSql("SELECT * FROM piers WHERE name = 'none'");
  await expect(app.rows.getByRole("heading", { name: /^(0|No) rows/ })).toBeVisible();
  await look("no-rows");
  await app.runSql("SELECT s.*, t.*, p.* FROM sailings s, tickets t, piers p LIMIT 2000");
  await expect(app.rows.getByRole("heading", { name: /1,000|2,000/ })).toBeVisible();
  await look("wide-rows");
};

const databases: Walk = async (page, look) => {
  const app = new App(page);
  await app.open({ encoder: "tiny" });
  await page.getByRole("button", { name: "Database" }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  await look("database-menu");
  await page.keyboard.press("Escape");
  await app.menu("Open an address");
  await look("address-dialog");
  await shut(page);
  await app.menu("Export");
  const dialog = page.getByRole("dialog", { name: /^Export / });
  await expect(dialog).toBeVisible();
  await look("export-dialog");
  await dialog.getByRole("checkbox").uncheck();
  await look("export-dialog-without-database");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export", exact: true }).click();
  const workspace = readFileSync(await (await download).path());
  await expect(page.getByText(/^Exported /).first()).toBeVisible();
  await look("toast");
  await app.openFile(file("Norhaven Ferries.querylore", workspace));
  await expect(page.getByRole("dialog", { name: /^Open the database of/ })).toBeVisible();
  await look("incomplete-dialog");
  await shut(page);
  await app.openFile(file("letter.sqlite", "Dear harbour office, this is no database. ".repeat(100)));
  await expect(page.getByRole("alert").filter({ hasText: "letter.sqlite" })).toBeVisible();
  await look("file-refused");
  await app.openFile(file("ferries.sqlite", norhaven));
  await expect(page.getByText("Add the queries you already have")).toBeVisible();
  await look("no-history");
  await go(page, "#/knowledge");
  await look("knowledge-no-history");
  await go(page, "#/ask");
  await page.getByRole("button", { name: "Database" }).click();
  await expect(page.getByRole("menuitem", { name: "Rename" })).toBeVisible();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await look("rename-dialog");
  await shut(page);
  await addHistory(app, file("empty.sql", ""));
  await expect(page.getByRole("dialog", { name: "Add history" }).getByRole("alert")).toBeVisible();
  await look("import-refused");
  await shut(page);
  const table = [
    "what,asked,body,db_id",
    'first,How many vessels?,"SELECT COUNT(*) FROM vessels",ferries',
    'second,How many vessels are there?,"SELECT COUNT(*)  FROM vessels",ferries',
    'third,How many piers are there?,"SELECT COUNT(*) FROM peers",ferries',
    'fourth,How many routes are there?,"SELECT FROM WHERE",buses',
  ].join("\n");
  await addHistory(app, file("odd.csv", table));
  const mapping = page.getByRole("dialog", { name: "Add history" });
  await expect(mapping.getByRole("button", { name: "Read the file" })).toBeVisible();
  await look("import-dialog");
  await mapping.getByLabel("SQL", { exact: true }).selectOption({ label: "choose a column" });
  await expect(mapping.getByRole("alert")).toBeVisible();
  await look("import-dialog-no-sql");
  await mapping.getByLabel("SQL", { exact: true }).selectOption("body");
  await mapping.getByLabel("Database").first().selectOption({ index: 0 });
  await mapping.getByRole("button", { name: "Read the file" }).click();
  // The column may be a sheet that is shut.
  await expect(page.locator(".rail").getByText(/Indexed, [\d,]+ vectors/)).toBeAttached({ timeout: 60_000 });
  if (narrow(page)) await page.keyboard.press("Escape");
  await go(page, "#/knowledge");
  await page.getByRole("main").getByRole("button", { name: "Import report" }).click();
  const report = page.getByRole("dialog", { name: "Import report" });
  await expect(report).toBeVisible();
  await look("report-dialog");
  for (const tab of await report.getByRole("tab").all()) {
    await tab.click();
    await look(`report-dialog-${((await tab.textContent()) ?? "").replace(/\W.*/, "").toLowerCase()}`);
  }
  await shut(page);
};

const knowing: Walk = async (page, look) => {
  const app = new App(page);
  await app.open();
  await go(page, "#/knowledge");
  const items = page.getByRole("table", { name: "Items" });
  await expect(items).toBeVisible();
  await look("knowledge");
  for (const group of ["Table", "Query"]) {
    await page.getByRole("radio", { name: group }).click();
    await look(`knowledge-by-${group.toLowerCase()}`);
  }
  await page.getByRole("radio", { name: "Type" }).click();
  await page.getByRole("searchbox", { name: "Search" }).fill("zzqx");
  await expect(page.getByText("No item passes the filter")).toBeVisible();
  await look("knowledge-nothing-found");
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  if (narrow(page)) {
    await page.getByRole("main").getByRole("button", { name: "Filters" }).click();
    await look("knowledge-filters");
    await page.keyboard.press("Escape");
  }
  await items.locator("[data-item]").first().click();
  const inspector = page.getByRole("complementary", { name: "Item" });
  await expect(inspector).toBeVisible();
  await look("item");
  await inspector.getByRole("button", { name: "Edit description" }).click();
  await expect(page.getByRole("dialog", { name: "Edit the description" })).toBeVisible();
  await look("description-dialog");
  await shut(page);
  await inspector.getByRole("button", { name: "Hide", exact: true }).click();
  await expect(inspector.getByText("hidden, not retrieved")).toBeVisible();
  await look("item-hidden");
  await inspector.getByRole("button", { name: /^#/ }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await look("source-dialog");
  await shut(page);
};

const finding: Walk = async (page, look) => {
  const app = new App(page);
  await app.open();
  if (narrow(page)) {
    await rail(page, /table/);
    await expect(app.rail).toBeVisible();
    await look("rail-sheet");
    await page.keyboard.press("Escape");
  }
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await look("keys-dialog");
  await shut(page);
  await page.keyboard.press("Control+k");
  await expect(app.palette).toBeVisible();
  await look("palette");
  await app.palette.getByRole("combobox").fill("sail");
  await look("palette-found");
  await app.palette.getByRole("combobox").fill("prompt");
  await look("palette-disabled");
  await app.palette.getByRole("combobox").fill("zzqx");
  await expect(app.palette.getByText(/Nothing here/)).toBeVisible();
  await look("palette-nothing");
  await shut(page);
};

const settings: Walk = async (page, look, model) => {
  const app = new App(page);
  await app.open({ model: { address: model, ask: { model: "good" } } });
  await go(page, "#/settings");
  await look("settings");
  for (const section of await page.getByRole("main").locator("[id^=section-]").evaluateAll((heads) => heads.map((h) => h.id.replace("section-", "")))) {
    await go(page, `#/settings/${section}`);
    await look(`settings-${section}`);
  }
  await go(page, "#/settings/model");
  await page.getByRole("button", { name: /^Test/ }).click();
  await expect(page.getByText(/Works\. Answered in/).first()).toBeVisible();
  await look("settings-model-works");
  await page.getByRole("textbox", { name: "Model name" }).fill("goood");
  await page.getByRole("button", { name: /^Test/ }).click();
  await expect(page.getByText(/Unknown model/).first()).toBeVisible();
  await look("settings-model-unknown");
  await page.getByRole("textbox", { name: "Server address" }).fill("http://127.0.0.1:9");
  await page.getByRole("button", { name: /^Test/ }).click();
  await expect(page.getByText("No server answers at 127.0.0.1:9.").first()).toBeVisible();
  await look("settings-model-nobody");
  await go(page, "#/diagnostics");
  await look("diagnostics");
  await go(page, "#/bench");
  await look("bench");
};

const answering: Walk = async (page, look, model) => {
  const app = new App(page);
  await app.open({ model: { address: model, way: "Direct", silence_s: 5, ask: { model: "endless" } } });
  await app.ask(CROWDED);
  await expect(page.getByText(/Answer \d+ tokens/).first()).toBeVisible();
  await look("streaming");
  await app.question.press("Escape");
  await expect(page.getByText("Stopped.").first()).toBeVisible();
  await look("answer-stopped");
  const choose = async (name: string) => {
    await go(page, "#/settings/model");
    await page.getByRole("textbox", { name: "Model name" }).fill(name);
    await go(page, "#/ask");
  };
  await choose("good");
  await app.ask(CROWDED);
  await expect(page.getByText("Answered by good.")).toBeVisible();
  await look("answered-by-model");
  await page.getByRole("button", { name: "See the prompt" }).click();
  await expect(page.getByRole("complementary", { name: "Prompt" })).toBeVisible();
  await look("prompt");
  await page.keyboard.press("Escape");
  await choose("busy");
  await app.ask(CROWDED);
  await expect(page.getByRole("alert").first()).toBeVisible();
  await look("model-busy");
  await choose("good");
  await page.getByLabel("Who writes the SQL").selectOption({ label: "Compare three ways" });
  await page.getByRole("combobox", { name: "Gold" }).selectOption({ index: 3 });
  await expect(page.getByRole("region", { name: "Ways compared" }).getByText(/Equal to gold|Different from gold/)).toHaveCount(3);
  await look("compared");
};

const linked: Walk = async (page, look) => {
  const there = "https://data.example/files/";
  const asked = new URLSearchParams({ db: `${there}ferries.sqlite`, history: `${there}knowledge.json`, q: CROWDED });
  await page.goto(`/?${asked}`);
  await new App(page).ready();
  await expect(page.getByRole("dialog", { name: "Open what this link names?" })).toBeVisible();
  await look("link-dialog");
  await shut(page);
  await page.goto("/?db=javascript:alert(1)");
  await new App(page).ready();
  await expect(page.getByRole("alert").first()).toBeVisible();
  await look("link-refused");
  await page.goto("/");
  await new App(page).ready();
  await page.getByRole("button", { name: "Database" }).click();
  await page.getByRole("menuitem", { name: "Copy link" }).click();
  await expect(page.locator(".toast").or(page.getByRole("dialog"))).toBeVisible();
  await look("link-copied");
};

/** The ways through the page that meet every page, dialog and important state. */
/** A few tasks of the demo, as a task file. */
export const someTasks = (count: number) => {
  const tasks = JSON.parse(readFileSync("../dist/demo/tasks.json", "utf8")).slice(0, count);
  return file(`${count}-tasks.json`, JSON.stringify(tasks));
};

const measuring: Walk = async (page, look, model) => {
  const app = new App(page);
  await app.open({ model: { address: model, ask: { model: "good" } } });
  await go(page, "#/lab");
  await expect(page.getByRole("main").getByRole("button", { name: /Run the demo/ })).toBeVisible();
  await look("lab-empty");
  await page.getByText("Statistics of the task file").click();
  await expect(page.getByRole("columnheader", { name: "Average" })).toBeVisible();
  await look("lab-statistics");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("main").getByRole("button", { name: "Open a task file" }).click();
  await (await chooser).setFiles(someTasks(6));
  if (narrow(page)) await page.getByRole("main").getByRole("button", { name: "Set-up" }).click();
  const setup = page.getByRole("complementary", { name: "Set-up" });
  await setup.getByRole("checkbox", { name: "none" }).check();
  await setup.getByRole("checkbox", { name: /^direct/ }).check();
  await setup.getByRole("textbox", { name: "Calls" }).fill("5");
  await expect(setup.getByText("over the limit")).toBeVisible();
  await look("lab-set-up");
  await setup.getByRole("button", { name: "Start" }).click();
  if (narrow(page)) await shut(page);
  await expect(page.getByText(/limit of 5 requests is reached/)).toBeVisible({ timeout: 60_000 });
  await look("lab-at-budget");
  await page.getByRole("main").getByRole("table", { name: "Answers" }).getByRole("button").first().click();
  await expect(page.getByRole("complementary", { name: "Answer" })).toBeVisible();
  await look("lab-answer");
};

export const walks: Record<string, Walk> = { measuring, asking, databases, knowing, finding, settings, answering, linked };
