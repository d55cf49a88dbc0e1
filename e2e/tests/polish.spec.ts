import { readFileSync } from "node:fs";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const norhaven = readFileSync("../dist/demo/norhaven.sqlite");
const CROWDED = "How many crowded sailings did each route have in August 2024?";

test("rows that stay after a refused query are said to be those of the query before", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(CROWDED);
  await expect(app.rows.getByRole("heading", { name: "9 rows" })).toBeVisible();
  for (const sql of ["DELETE FROM piers", "SELECT nme FROM piers"]) {
    await app.runSql(sql);
    await expect(app.rows.getByRole("heading", { name: "Rows of the query before" })).toBeVisible();
    await expect(app.rows.getByText("all shown")).toHaveCount(0);
    await expect(page.locator(".trace")).toContainText(/Run, failed/);
  }
  // Leaving the editor leaves the answer as it was.
  await app.editor.press("Escape");
  await expect(app.rows.getByRole("heading", { name: "9 rows" })).toBeVisible();
  await expect(page.locator(".trace")).toContainText(/Run .*, done/);
  await app.runSql("SELECT nme FROM piers");
  await app.runSql("SELECT name FROM piers");
  await expect(app.rows.getByText("all shown")).toBeVisible();
  await expect(app.rows.getByRole("heading", { name: "Rows of the query before" })).toHaveCount(0);
  await expect(page.getByText("The knowledge below was found for the answer before it.")).toBeVisible();
});

test("gold that does not run is not called different, and the list shows the gold in force", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.ask(CROWDED);
  await expect(app.rows.getByRole("heading", { name: "9 rows" })).toBeVisible();
  const gold = page.getByRole("combobox", { name: "Gold" });
  const dialog = page.getByRole("dialog", { name: "Gold SQL" });
  await page.getByRole("main").focus();
  await page.keyboard.press("c");
  await expect(page.getByText("There is no gold to compare with. Choose one in the list under the question.")).toBeVisible();
  await gold.selectOption("sql");
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await expect(dialog.getByRole("textbox")).toHaveAttribute("placeholder", "SELECT …");
  await page.keyboard.press("Escape");
  await expect(gold).toHaveValue("none");
  // A file is asked for, and none is given.
  const chooser = page.waitForEvent("filechooser");
  await gold.selectOption("file");
  await chooser;
  await expect(gold).toHaveValue("none");
  await gold.selectOption("sql");
  await dialog.getByRole("textbox").fill("SELECT nope FROM trips");
  await page.keyboard.press("Control+Enter");
  await expect(app.score.getByText("Not compared", { exact: true })).toBeVisible();
  await expect(app.score.getByText(/The gold SQL does not run/)).toBeVisible();
  await expect(app.score.getByText("Different")).toHaveCount(0);
  await expect(gold).toHaveValue("sql");
});

test("rows that differ in columns only are not counted as missing", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const gold = page.getByRole("combobox", { name: "Gold" });
  const task = await gold.getByRole("option", { name: /Task 30002/ }).getAttribute("value");
  await gold.selectOption(task);
  await expect(app.score.getByText(/Same rows, only trip_key and departs differ/)).toBeVisible();
  await expect(app.score.getByText(/missing, .* extra/)).toHaveCount(0);
  await expect(app.score.getByText("trip_key, departs differ")).toBeVisible();
});

test("the focus is in the question after opening, adding and asking, and q goes there", async ({ page }) => {
  const app = new App(page);
  await app.open({ encoder: "tiny" });
  await page.getByRole("main").focus();
  await page.keyboard.press("q");
  await expect(app.question).toBeFocused();
  await page.evaluate(() => (location.hash = "#/knowledge"));
  await expect(page.getByRole("main")).toBeFocused();
  await page.keyboard.press("q");
  await expect(page).toHaveURL(/#\/ask$/);
  await expect(app.question).toBeFocused();
  await app.openFile({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  const log = Buffer.from("-- Which vessels are there?\nSELECT name FROM vessels;\n-- Which piers are there?\nSELECT name FROM piers;");
  await app.addHistory({ name: "team.sql", mimeType: "text/plain", buffer: log });
  await page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed/)).toBeVisible({ timeout: 60_000 });
  await expect(app.question).toBeFocused();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await app.find("Which vessels");
  await page.keyboard.press("Enter");
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await expect(app.question).toBeFocused();
  // Its answer goes with the history.
  await app.find("remove the history");
  await page.keyboard.press("Enter");
  await expect(app.rows).toHaveCount(0);
  await expect(app.knowledge).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(app.rail.getByText(/Indexed/)).toBeVisible();
});

test("what a task file leaves out is said without alarm and can be closed", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await app.openFile({ name: "norhaven.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("norhaven");
  const tasks = JSON.parse(readFileSync("../dist/demo/tasks.json", "utf8")) as Record<string, unknown>[];
  const other = { ...tasks[0], db_id: "elsewhere" };
  const chooser = page.waitForEvent("filechooser");
  await app.find("open a task file");
  await page.keyboard.press("Enter");
  const file = { name: "two.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify([{ ...tasks[0], db_id: "norhaven" }, other])) };
  await (await chooser).setFiles(file);
  const notice = page.locator(".notice", { hasText: "1 task on norhaven" });
  await expect(notice).toBeVisible();
  await expect(notice).not.toHaveClass(/warn/);
  const close = notice.getByRole("button", { name: "Close" });
  const [box, around] = [await close.boundingBox(), await notice.boundingBox()];
  expect((around?.x ?? 0) + (around?.width ?? 0) - (box?.x ?? 0)).toBeLessThan(60);
  await close.click();
  await expect(notice).toHaveCount(0);
  await expect(app.question).toBeFocused();
});

test("the palette draws, saves and names what is open", async ({ page }) => {
  const app = new App(page);
  await app.open();
  const chosen = app.palette.getByRole("option", { selected: true });
  await app.find("rows as a chart");
  await expect(chosen).toContainText("There are no rows yet.");
  await page.keyboard.press("Escape");
  await app.find("rename the work");
  await expect(chosen).toContainText("The open one is not kept in this browser.");
  await page.keyboard.press("Escape");
  await app.ask(CROWDED);
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.find("rows as a chart");
  await page.keyboard.press("Enter");
  await expect(app.rows.getByRole("radio", { name: "Chart" })).toBeChecked();
  const download = page.waitForEvent("download");
  await app.find("rows as csv");
  await page.keyboard.press("Enter");
  expect((await download).suggestedFilename()).toBe("rows.csv");
  await app.find("write gold");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Gold SQL" }).getByRole("textbox")).toBeFocused();
  await page.keyboard.press("Escape");
  await app.find("choose the gold");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Gold" })).toBeFocused();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("Ask stands beside what it waits for, at the right", async ({ page }) => {
    const app = new App(page);
    await app.open();
    await app.openFile({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: norhaven });
    const said = page.getByRole("region", { name: "Question" }).getByText("Add a history first");
    await expect(said).toBeVisible();
    const ask = await page.getByRole("button", { name: "Ask", exact: false }).last().boundingBox();
    const box = await said.boundingBox();
    expect(ask && box && Math.abs(ask.y + ask.height / 2 - box.y - box.height / 2)).toBeLessThan(12);
    expect((ask?.x ?? 0) + (ask?.width ?? 0)).toBeGreaterThan(340);
  });
});
