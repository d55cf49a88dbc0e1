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
const warm = [];
for (let i = 0; i < 5; i += 1) warm.push(await visit());
await page.goto(`${address}/#/bench`);
await page.waitForFunction(() => document.getElementById("bench")?.textContent?.startsWith("{"), null, { timeout: 300_000 });
const figures = JSON.parse(await page.locator("#bench").textContent());
console.log(JSON.stringify({ first_visit_ms: first, warm_visits_ms: warm.sort((a, b) => a - b), ...figures }, null, 2));
await browser.close();
