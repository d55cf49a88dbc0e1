import { existsSync, readFileSync } from "node:fs";

import { App } from "../pages/app";
import { expect, test } from "./fixtures";

const HISTORY = [
  ["How many routes are there?", "SELECT COUNT(*) FROM routes"],
  ["Which piers are on the north bank?", "SELECT name FROM piers WHERE zone = 'N'"],
  ["Names of all vessels by capacity", "SELECT name FROM vessels ORDER BY capacity DESC"],
  ["How many sailings were cancelled?", "SELECT COUNT(*) FROM sailings WHERE status = 'X'"],
];

test("all-mpnet-base-v2 embeds a history and finds what a question in other words means", async ({ page }) => {
  test.skip(!existsSync("../dist/models/all-mpnet-base-v2/model.safetensors"), "skipped: the page was built without all-mpnet-base-v2 (ENCODERS)");
  test.slow();
  const app = new App(page);
  await app.open({ encoder: "all-mpnet-base-v2" });
  await app.openFile({ name: "ferries.sqlite", mimeType: "application/octet-stream", buffer: readFileSync("../dist/demo/norhaven.sqlite") });
  await expect(page.getByRole("button", { name: "Database" })).toHaveText("ferries");
  const lines = HISTORY.map(([question, sql]) => JSON.stringify({ question, sql })).join("\n");
  await app.addHistory({ name: "history.jsonl", mimeType: "application/jsonl", buffer: Buffer.from(lines) });
  await page.getByRole("dialog", { name: "Add history" }).getByRole("button", { name: "Read the file" }).click();
  await expect(app.rail.getByText(/Indexed, [\d,]+ vectors/)).toBeVisible({ timeout: 200_000 });
  await app.ask("What is the total count of lines that the ferries serve?");
  await expect(app.sql.getByText("routes")).toBeVisible({ timeout: 120_000 });
  // The vectors are those of the larger encoder, kept with its name.
  await page.evaluate(() => (location.hash = "#/settings"));
  await expect(page.getByRole("combobox", { name: "Encoder model" }).locator("option:checked")).toContainText("all-mpnet-base-v2");
});
