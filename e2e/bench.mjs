// Measures the built page in headless Chromium and prints the figures as JSON. Serve dist first:
//   target/debug/lab serve & node e2e/bench.mjs [http://127.0.0.1:8080]
import { chromium } from "@playwright/test";

const address = process.argv[2] ?? "http://127.0.0.1:8080";
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...sandbox],
});
const page = await browser.newPage();
// The second visit is the warm one: compiled code and files are in the browser's caches.
const visit = async () => {
  const start = performance.now();
  await page.goto(address);
  await page.waitForSelector('[data-ready="true"]');
  return Math.round(performance.now() - start);
};
const first = await visit();
// From the click on an example question to its rows, then a question of one's own, which fetches the encoder.
const answered = async (ask) => {
  const start = performance.now();
  await ask();
  await page.getByText(/Adapted from query #/).waitFor();
  await page.getByRole("region", { name: "Rows" }).getByRole("row").nth(1).waitFor();
  return Math.round(performance.now() - start);
};
const example = await answered(() => page.getByRole("button", { name: /^How many/ }).first().click());
const own = async (question) => {
  await page.getByRole("textbox", { name: "Question" }).fill(question);
  return answered(() => page.keyboard.press("Control+Enter"));
};
await page.reload();
await page.waitForSelector('[data-ready="true"]');
const encoderFetched = await own("How many piers are there?");
await page.reload();
await page.waitForSelector('[data-ready="true"]');
const encoderCached = await own("How many vessels are there?");
const warm = [];
for (let i = 0; i < 5; i += 1) warm.push(await visit());
await page.goto(`${address}/#/bench`);
await page.waitForFunction(() => document.getElementById("bench")?.textContent?.startsWith("{"), null, { timeout: 300_000 });
const figures = JSON.parse(await page.locator("#bench").textContent());
console.log(JSON.stringify({ first_visit_ms: first, example_answer_ms: example, first_own_answer_ms: encoderFetched, own_answer_warm_ms: encoderCached, warm_visits_ms: warm.sort((a, b) => a - b), ...figures }, null, 2));
await browser.close();
