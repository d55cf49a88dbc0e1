import type { Page } from "@playwright/test";

import { App } from "../pages/app";
import { expect, test } from "../tests/fixtures";

// The list cuts long questions, so the task is named by its number.
const TASK = "Task 30006";

const picture = (page: Page, name: string) =>
  page.screenshot({
    path: `../docs/images/${name}-${test.info().project.name}.png`,
    animations: "disabled",
    caret: "hide",
  });

async function answered(page: Page): Promise<App> {
  const app = new App(page);
  await app.open();
  // The task asks its question; the score is the last part to come.
  const gold = page.getByRole("combobox", { name: "Gold" });
  await gold.selectOption({ label: (await gold.locator("option", { hasText: TASK }).first().textContent()) ?? "" });
  await expect(app.rows.getByRole("grid")).toBeVisible();
  await expect(app.score.getByText(/^(Equal|Different)$/)).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
  return app;
}

test("ask", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const app = await answered(page);
  await app.knowledge.getByRole("listitem").getByRole("button").first().click();
  await expect(page.getByRole("complementary", { name: "Item" })).toBeVisible();
  await picture(page, "ask");
});

test("knowledge", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await answered(page);
  await page.getByRole("link", { name: "Knowledge" }).first().click();
  await expect(page.getByText(/\d+ items from \d+ distinct queries/)).toBeVisible();
  await picture(page, "knowledge");
});

test("ask on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await answered(page);
  await picture(page, "ask-phone");
});
