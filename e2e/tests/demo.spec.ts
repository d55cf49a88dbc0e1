import { App } from "../pages/app";
import { expect, test } from "./fixtures";

test("the demo answers a question from history, without fetching the encoder", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(request.url()));
  const app = new App(page);
  await app.open();
  await expect(app.rail.getByText("10 tables")).toBeVisible();
  await page.getByRole("button", { name: "On-time rate by month on the Harbour Loop in fiscal 2024" }).click();
  await expect(page.getByText(/Adapted from query #\d+\. No model was used\./)).toBeVisible();
  await expect(app.knowledge.getByRole("listitem").first()).toBeVisible();
  await expect(app.sql).toContainText("dep_delay_s BETWEEN -60 AND 299");
  await expect(app.sql).toContainText("'HL'");
  await expect(app.sql).toContainText("2024-04-01");
  await expect(app.rows.getByRole("heading", { name: "12 rows" })).toBeVisible();
  expect(fetched.filter((url) => url.includes("embedder") || url.includes("models/"))).toEqual([]);
});

test("a knowledge item opens with its reasons and its source queries", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: "On-time rate by month on the Harbour Loop in fiscal 2024" }).click();
  await expect(app.rows.getByRole("heading", { name: "12 rows" })).toBeVisible();
  await app.knowledge.getByRole("listitem").first().getByRole("button").click();
  const inspector = page.getByRole("complementary", { name: "Item" });
  await expect(inspector.getByRole("heading", { name: "Why it was chosen" })).toBeVisible();
  await expect(inspector.getByRole("heading", { name: "Source queries" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(inspector).toHaveCount(0);
});

test("a task is scored against its gold, with retrieval scores", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("combobox", { name: "Gold" }).selectOption({ index: 3 });
  await expect(app.score.getByText(/^(Equal|Different)$/)).toBeVisible();
  await expect(app.score.getByText("recall")).toBeVisible();
  await expect(app.score.getByRole("combobox", { name: "Scoring mode" }).locator("option:checked")).toHaveText("bird-ex");
});

test("gold that differs is explained", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("button", { name: /The 3 busiest piers/ }).click();
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await app.runSql("SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4");
  await expect(app.rows.getByRole("heading", { name: "2 rows" })).toBeVisible();
  await page.getByRole("combobox", { name: "Gold" }).selectOption("sql");
  const dialog = page.getByRole("dialog", { name: "Gold SQL" });
  await dialog.getByRole("textbox").fill("SELECT 2 AS b, 1 AS a UNION ALL SELECT 4, 3");
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(app.score.getByText("Different")).toBeVisible();
  await expect(app.score.getByText("other order", { exact: true })).toBeVisible();
});

test("the knowledge page lists, searches and groups", async ({ page }) => {
  const app = new App(page);
  await app.open();
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await expect(page.getByRole("heading", { name: "Knowledge", level: 1 })).toBeVisible();
  await expect(page.getByText(/\d+ items from \d+ distinct queries/)).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("no such words anywhere");
  await expect(page.getByText("No item passes the filter")).toBeVisible();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await page.getByRole("radio", { name: "Query" }).click();
  await expect(page.getByText(/#\d+ /).first()).toBeVisible();
  await page.getByRole("radio", { name: "Table" }).click();
  await page.getByRole("checkbox", { name: /^crew / }).check();
  await expect(page.getByRole("table", { name: "Items" }).getByRole("button", { expanded: true }).first()).toBeVisible();
});

for (const width of [1440, 1100, 820, 390]) {
  test(`nothing scrolls sideways at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    const app = new App(page);
    await app.open();
    await page.getByRole("button", { name: /The 3 busiest piers/ }).click();
    await expect(app.rows.getByRole("grid")).toBeVisible();
    for (const hash of ["#/ask", "#/knowledge", "#/settings"]) {
      await page.evaluate((h) => (location.hash = h), hash);
      await expect(page.getByRole("main")).toBeVisible();
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wider, hash).toBeLessThanOrEqual(0);
    }
  });
}

test("a page begins at its head on a phone, wherever the one before was scrolled to", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const app = new App(page);
  await app.open();
  await page.evaluate(() => (location.hash = "#/settings/storage"));
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(300);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Knowledge" }).last().click();
  await expect(page.getByRole("table", { name: "Items" })).toBeVisible();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});
